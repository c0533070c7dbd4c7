"""arm_steps.py PROGRAM SYMBOLS TEXT TRUTH [FUNCTION]: what a program of 32-bit Arm would be recorded as, and its true chains.

The program runs under qemu-arm, one instruction after the other. At each one (in FUNCTION alone) a line is added to TEXT, a
sample for mkdata with registers and stack, and one to TRUTH: the functions that were called and have not returned, innermost
first. That is known by watching calls and returns, not by any table. SYMBOLS: what nm prints of the program.
"""
import bisect
import os
import socket
import subprocess
import sys
import tempfile
import time

SP, LR, PC = 13, 14, 15
SIGNAL_ENDS = 'restores'


class Stub:
    """The debugger's side of qemu's gdb stub."""

    def __init__(self, program, path):
        self.qemu = subprocess.Popen(['qemu-arm', '-g', path, program])
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + 60
        while self.socket.connect_ex(path):
            if time.monotonic() > end or self.qemu.poll() is not None:
                sys.exit('arm_steps: qemu-arm does not answer')
            time.sleep(0.01)
        self.input = self.socket.makefile('rb')

    def ask(self, text):
        self.socket.sendall(b'$%s#%02x' % (text.encode(), sum(text.encode()) & 0xff))
        c = self.input.read(1)
        while c != b'$':
            if not c:
                sys.exit(f'arm_steps: no answer to {text}')
            c = self.input.read(1)
        answer = b''
        while (c := self.input.read(1)) != b'#':
            answer += c
        self.input.read(2)
        self.socket.sendall(b'+')
        return answer.decode()

    def registers(self):
        text = self.ask('g')
        return [int.from_bytes(bytes.fromhex(text[8 * i:8 * i + 8]), 'little') for i in range(16)]

    def memory(self, addr, size):
        text = ''
        while size:
            part = min(size, 1024)
            text += self.ask(f'm{addr:x},{part:x}')
            addr, size = addr + part, size - part
        return text


class Functions:
    def __init__(self, path):
        names = {}
        for line in open(path):
            words = line.split()
            if len(words) == 3 and words[1] in 'Tt' and not words[2].startswith('$'):
                names[int(words[0], 16) & ~1] = words[2]
        self.starts = sorted(names)
        self.names = names

    def at(self, addr):
        return self.names[self.starts[bisect.bisect(self.starts, addr) - 1]]


class Calls:
    """Those that have not returned: (where to, stack pointer there, was it interrupted), outermost first."""

    def __init__(self, functions):
        self.functions = functions
        self.open = []

    def stepped(self, old, new):
        while self.open:
            to, sp, interrupted = self.open[-1]
            ended = self.is_over(old, new) if interrupted else new[PC] == to
            if sp not in (None, new[SP]) or not ended:
                break
            self.open.pop()
        back = new[LR] & ~1
        if new[PC] in self.functions.names and back in (old[PC] + 2, old[PC] + 4) and new[PC] != back:
            self.open.append((back, new[SP], False))

    def is_over(self, old, new):
        """That which a handler returned to goes back to what was interrupted, whose next instruction is over already."""
        return self.functions.at(old[PC]) == SIGNAL_ENDS != self.functions.at(new[PC])

    def signalled(self, old, new):
        self.open.append((old[PC], old[SP], True))
        self.open.append((new[LR] & ~1, None, False))  # its first instruction is over: it has moved the stack pointer

    def chain(self, pc):
        at = [to if interrupted else max(to - 1, self.own_start(to)) for to, _, interrupted in reversed(self.open)]
        return ' '.join(self.functions.at(a) for a in [pc] + at)

    def own_start(self, addr):
        """What a handler returns to is entered there, and no call precedes it."""
        return addr if self.functions.names.get(addr) == SIGNAL_ENDS else 0


def main():
    program, symbols, text, truth = sys.argv[1:5]
    wanted = sys.argv[5] if len(sys.argv) > 5 else None
    functions = Functions(symbols)
    calls = Calls(functions)
    with tempfile.TemporaryDirectory() as where, open(text, 'w') as text, open(truth, 'w') as truth:
        stub = Stub(program, os.path.join(where, 'gdb'))
        stub.ask('?')
        regs = stub.registers()
        top = regs[SP] + 64
        nr = 0
        step = 's'
        while True:
            if not wanted or functions.at(regs[PC]) == wanted:
                nr += 1
                truth.write(calls.chain(regs[PC]) + '\n')
                text.write(f'sample 1/1 t={nr + 10} ip={regs[PC]:#x} mode=user uregs={",".join(map(hex, regs))} abi=1 '
                           f'stack={stub.memory(regs[SP], top - regs[SP])}\n')
            said = stub.ask(step)
            if said[0] in 'WX':
                break
            old, regs = regs, stub.registers()
            if step != 's':
                calls.signalled(old, regs)
            else:
                calls.stepped(old, regs)
            step = 's' if said[1:3] == '05' else 'vCont;S' + said[1:3]
        if said[:3] != 'W00' or stub.qemu.wait():
            sys.exit(f'arm_steps: {program} ended with {said}')


main()
