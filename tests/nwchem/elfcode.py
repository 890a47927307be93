"""Where the functions of an archive are in a program that was linked with it and has no symbols: found by their code."""
import pathlib
import re
import struct

# How many bytes before and behind the place of a relocation the linker may have changed, by the type of the relocation (x86-64).
CHANGED = {1: (0, 8), 2: (0, 4), 4: (0, 4), 9: (0, 4), 10: (0, 4), 11: (0, 4), 41: (2, 4), 42: (3, 4)}
FUNCTION, GLOBAL, WEAK = 2, 1, 2


class Elf:
    """The sections of a 64-bit ELF file."""

    def __init__(self, data):
        self.data = data
        start, = struct.unpack_from("<Q", data, 0x28)
        count, names = struct.unpack_from("<HH", data, 0x3C)
        # name, type, flags, address, offset, size, link, info, alignment, size of an entry
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * i) for i in range(count)]
        self.numbers = {self.text_at(self.headers[names][4] + header[0]): i for i, header in enumerate(self.headers)}

    def text_at(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def header(self, name):
        return self.headers[self.numbers[name]]

    def section(self, name):
        """The contents of a section; nothing when there is none."""
        if name not in self.numbers:
            return b""
        return self.data[self.header(name)[4]:][:self.header(name)[5]]

    def fixed_runs(self):
        """The parts of an object's code that a linker leaves as they are: (from, to)."""
        fixed = bytearray(b"\1" * len(self.section(".text")))
        for place, info, _ in struct.iter_unpack("<QQq", self.section(".rela.text")):
            before, behind = CHANGED[info & 0xFFFFFFFF]
            for i in range(max(0, place - before), place + behind):
                fixed[i] = 0
        return [match.span() for match in re.finditer(b"\1+", fixed)]

    def functions(self):
        """The functions that an object defines for others: (name, where in its code)."""
        strings = self.headers[self.header(".symtab")[6]][4]
        for name, info, _, section, value, _ in struct.iter_unpack("<IBBHQQ", self.section(".symtab")):
            if info & 15 == FUNCTION and info >> 4 in (GLOBAL, WEAK) and section == self.numbers[".text"]:
                yield self.text_at(strings + name), value


def members(archive):
    """The objects in an archive."""
    data, at = pathlib.Path(archive).read_bytes(), 8
    while at < len(data):
        size = int(data[at + 48:at + 58])
        content = data[at + 60:at + 60 + size]
        if content.startswith(b"\x7fELF"):
            yield Elf(content)
        at += 60 + size + size % 2


def places_of(code, runs, text):
    """Where in text that code is, with any bytes between its fixed runs."""
    first, last = max(runs, key=lambda run: run[1] - run[0])
    needle, found, at = code[first:last], [], text.find(code[first:last])
    while at >= 0:
        begin = at - first
        if begin >= 0 and all(text[begin + a:begin + b] == code[a:b] for a, b in runs):
            found.append(begin)
        at = text.find(needle, at + 1)
    return found


def find_functions(program, archive):
    """The address in the program of each function of those objects of the archive that are in it exactly once."""
    elf, addresses = Elf(pathlib.Path(program).read_bytes()), {}
    text, base = elf.section(".text"), elf.header(".text")[3]
    for member in members(archive):
        code = member.section(".text")
        places = places_of(code, member.fixed_runs(), text) if code else []
        if len(places) == 1:
            addresses.update((name, base + places[0] + value) for name, value in member.functions())
    return addresses
