# stacks.py SECONDS [waits | inner | inners | extension]: spins at the end of many kinds of stacks for so long each, and prints them: "NAMES",
# innermost first, with ";". "waits": it waits there; "inner": in an interpreter inside of one that is inside of the interpreter, where
# this Python has them; "inners": in such in threads of their own; "extension": in functions that C calls, of the module "callback".
import asyncio, contextlib, contextvars, functools, re, signal, sys, threading, time

share = float(sys.argv[1])
mode = sys.argv[2] if len(sys.argv) > 2 else ''
held = threading.Lock()
held.acquire()
lock = threading.Lock()
printed = set()
outside, own = globals().get('outside', ()), globals().get('own')  # the stack of the interpreters around this one


def spin():
    frame, names = sys._getframe(), []
    while frame:
        names.append(getattr(frame.f_code, 'co_qualname', frame.f_code.co_name))
        frame = frame.f_back
    names += outside
    with lock:
        if tuple(names) not in printed:
            printed.add(tuple(names))
            print(';'.join(names), flush=True)
    if mode == 'waits':
        time.sleep(share)
        held.acquire(timeout=share)
        return
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
    import ctypes
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    numbers = (ctypes.c_int * 2)(1, 2)
    ctypes.CDLL(None).qsort(numbers, ctypes.c_size_t(2), ctypes.c_size_t(4), kind(called_from_c))


def thread():
    recurse(3)


def sent_to():
    while True:
        x = yield
        if x:
            spin()


def thrown_into():
    try:
        yield
    except KeyError:
        spin()
        yield


def nested_generators(n):
    if n:
        yield from nested_generators(n - 1)
    else:
        spin()
        yield


async def async_generator():
    yield 1
    spin()


async def async_loop():
    async for _ in async_generator():
        pass
    async with manager():
        spin()


@contextlib.asynccontextmanager
async def manager():
    await asyncio.sleep(0)
    spin()
    yield


class Meta(type):
    def __new__(cls, name, bases, space):
        spin()
        return super().__new__(cls, name, bases, space)


class Odd:
    def __eq__(self, other):
        spin()
        return True

    def __getattr__(self, name):
        spin()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        spin()

    def __iter__(self):
        spin()
        return iter([1])

    def __del__(self):
        spin()


def replace(match):
    spin()
    return ''


def sorts(n):
    return sorted([n], key=lambda x: sorts(x - 1) if x else spin() or 0)


def handler(number, frame):
    spin()


def more():
    g = sent_to()
    next(g)
    g.send(1)
    g = thrown_into()
    next(g)
    g.throw(KeyError())
    list(nested_generators(30))
    asyncio.run(async_loop())
    Meta('Made', (), {})
    [1].index(Odd())
    Odd().name
    with Odd():
        pass
    a, = Odd()
    re.sub('a', replace, 'bab')
    functools.reduce(lambda x, y: spin(), [1, 2])
    sorts(8)
    contextvars.copy_context().run(spin)
    [[spin() for _ in 'a'] for _ in 'b']
    exec('class Body:\n spin()\n exec("spin()")', globals())
    signal.signal(signal.SIGUSR1, handler)
    signal.raise_signal(signal.SIGUSR1)
    functools.partial(functools.partial(spin))()


def through_extension(n):
    import callback
    return callback.call(through_extension, n - 1) if n else spin()


def in_thread_of_extension(n):
    recurse(n)


def extension():
    import callback
    through_extension(40)
    sorted([3, 1, 2], key=lambda x: callback.call(through_extension, 2) or x)
    list(callback.call(nested_generators, 3))
    try:
        callback.call(lambda n: spin() or {}[n], 1)
    except KeyError:
        callback.call(recurse, 4)
    callback.thread(in_thread_of_extension, 3)


def inner_interpreter(depth):
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    frame, names = sys._getframe(), []
    while frame:
        names.append(getattr(frame.f_code, 'co_qualname', frame.f_code.co_name))
        frame = frame.f_back
    text = own or open(__file__).read()[:-len('main()\n')]
    inner = interpreters.create()
    interpreters.run_string(inner, """import sys
sys.argv = ['', '%s', 'inmost']
outside, own = %r, %r
exec(compile(own, 'stacks.py', 'exec'))
exec(compile(%r, 'stacks.py', 'exec'))""" % (share, names + list(outside), text,
                                        'recurse(3)\ninner_interpreter(%d)' % (depth - 1) if depth else 'spin()\nrecurse(3)'))
    interpreters.destroy(inner)


def inner_interpreters():
    threads = [threading.Thread(target=inner_interpreter, args=(depth,)) for depth in (0, 1, 0)]
    for t in threads:
        t.start()
    recurse(3)
    for t in threads:
        t.join()


def main():
    if mode == 'waits':
        ended = threading.Thread(target=time.sleep, args=(0,))
        ended.start()
        ended.join()
        time.sleep(0.5)  # a busy recorder looks at the interpreter meanwhile
    if mode == 'extension':
        return extension()
    if mode == 'inner':
        return inner_interpreter(1)
    if mode == 'inners':
        return inner_interpreters()
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
    more()
    threads = [threading.Thread(target=thread) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


main()
