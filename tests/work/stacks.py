# Spins at the end of many kinds of stacks for a part of ARG seconds each, and prints them: "NAMES", innermost first, with ";".
import asyncio, ctypes, functools, sys, threading, time

share = float(sys.argv[1])
lock = threading.Lock()
printed = set()


def spin():
    frame, names = sys._getframe(), []
    while frame:
        names.append(getattr(frame.f_code, 'co_qualname', frame.f_code.co_name))
        frame = frame.f_back
    with lock:
        if tuple(names) not in printed:
            printed.add(tuple(names))
            print(';'.join(names), flush=True)
    end, x = time.thread_time() + share, 0
    while time.thread_time() < end:
        for i in range(200):
            x += i * i
        x = sum([x, 1]) & 0xffff


def recurse(n):
    return recurse(n - 1) if n else spin()


def deep(n):
    return deep(n - 1) if n else spin()


def generator():
    yield 1
    spin()
    yield 2


def through_generators():
    yield from generator()


def sort_key(x):
    if x == 1:
        spin()
    return x


def decorate(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper


@decorate
def decorated():
    spin()


class Thing:
    def __init__(self):
        spin()

    def __len__(self):
        spin()
        return 1

    @property
    def value(self):
        spin()

    @classmethod
    def make(cls):
        return [f() for f in (spin,)]


def raises():
    try:
        raise ValueError
    except ValueError:
        spin()
    finally:
        try:
            {}['no']
        except KeyError:
            spin()


async def inner():
    await asyncio.sleep(0)
    spin()


async def outer():
    await inner()


async def tasks():
    await asyncio.gather(outer(), outer())


def called_from_c(a, b):
    spin()
    return 0


def through_ctypes():
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    numbers = (ctypes.c_int * 2)(1, 2)
    ctypes.CDLL(None).qsort(numbers, ctypes.c_size_t(2), ctypes.c_size_t(4), kind(called_from_c))


def thread():
    recurse(3)


def main():
    spin()
    recurse(5)
    deep(200)
    list(generator())
    list(through_generators())
    sorted([3, 1, 2], key=sort_key)
    list(map(sort_key, [1]))
    (lambda: spin())()
    decorated()
    len(Thing())
    Thing().value
    Thing.make()
    raises()
    exec('def made():\n spin()\nmade()', {'spin': spin})
    eval('spin()')
    asyncio.run(tasks())
    through_ctypes()
    threads = [threading.Thread(target=thread) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


main()
