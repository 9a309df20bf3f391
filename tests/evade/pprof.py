# SPDX-License-Identifier: Apache-2.0
"""A pprof profile as objects that can be changed and written again. Of profile.proto what the tests here change; all
other fields are kept as they are."""
import gzip


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, wire type, value) of every field; value is an int or bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 2:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, key & 7, value


def varint(value):
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + bytes(value)


def numbers(value):
    if isinstance(value, int):
        return [value]
    at, out = 0, []
    while at < len(value):
        one, at = read_varint(value, at)
        out.append(one)
    return out


class Sample:
    def __init__(self, locations, values, labels=()):
        self.locations, self.values, self.labels = list(locations), list(values), list(labels)


class Profile:
    SAMPLE, LOCATION, FUNCTION, STRING, DROP, KEEP = 2, 4, 5, 6, 7, 8

    def __init__(self, path):
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        self.samples, self.strings, self.rest = [], [], []
        self.locations, self.functions = {}, {}  # id -> its raw fields
        self.drop_frames = self.keep_frames = None
        for number, _, value in fields(data):
            if number == self.SAMPLE:
                self.samples.append(self.read_sample(value))
            elif number == self.STRING:
                self.strings.append(bytes(value).decode())
            elif number in (self.LOCATION, self.FUNCTION):
                raw = list(fields(value))
                identity = next(v for n, _, v in raw if n == 1)
                (self.locations if number == self.LOCATION else self.functions)[identity] = raw
            elif number not in (self.DROP, self.KEEP):
                self.rest.append((number, value))
            elif value:
                setattr(self, "drop_frames" if number == self.DROP else "keep_frames", value)
        for name in ("drop_frames", "keep_frames"):  # the string table may come after them
            index = getattr(self, name)
            setattr(self, name, None if index is None else self.strings[index])
        self.index = {text: i for i, text in enumerate(self.strings)}

    @staticmethod
    def read_sample(data):
        sample = Sample([], [])
        for number, _, value in fields(data):
            if number == 1:
                sample.locations += numbers(value)
            elif number == 2:
                sample.values += numbers(value)
            else:
                sample.labels.append((number, bytes(value)))
        return sample

    def string(self, text):
        if text not in self.index:
            self.index[text] = len(self.strings)
            self.strings.append(text)
        return self.index[text]

    # ---- contents of the profile ----

    def names_of(self, location):
        """Function names of a location, innermost first."""
        names = []
        for number, _, value in self.locations[location]:
            if number == 4:
                function = next((v for n, _, v in fields(value) if n == 1), 0)
                names.append(self.name_of(function))
        return names

    def name_of(self, function):
        return self.strings[next((v for n, _, v in self.functions.get(function, ()) if n == 2), 0)]

    def stack(self, sample):
        """Names of a sample's frames, leaf first."""
        return [name for location in sample.locations for name in self.names_of(location)]

    def label(self, sample, key):
        for _, raw in sample.labels:
            found = {n: v for n, _, v in fields(raw)}
            if self.strings[found.get(1, 0)] == key:
                return self.strings[found.get(2, 0)]
        return None

    # ---- changes ----

    def function(self, name, file="main.go"):
        """A location of a function of that name, made anew."""
        identity = max(self.functions, default=0) + 1
        self.functions[identity] = [(1, 0, identity), (2, 0, self.string(name)), (3, 0, self.string(name)),
                                    (4, 0, self.string(file))]
        location = max(self.locations, default=0) + 1
        mapping = next((v for raw in self.locations.values() for n, _, v in raw if n == 2), 0)
        line = field(1, identity) + field(2, 1)
        self.locations[location] = [(1, 0, location), (2, 0, mapping), (3, 0, 0x70000000 + location), (4, 2, line)]
        return location

    def rename(self, change):
        """Every function is called what `change` says of its name."""
        for identity, raw in self.functions.items():
            self.functions[identity] = [
                (n, w, self.string(change(self.strings[v])) if n in (2, 3) and v else v) for n, w, v in raw]

    def unlabel(self, sample, key):
        sample.labels = [(n, raw) for n, raw in sample.labels
                         if self.strings[next((v for m, _, v in fields(raw) if m == 1), 0)] != key]

    def set_label(self, sample, key, text):
        self.unlabel(sample, key)
        sample.labels.append((3, field(1, self.string(key)) + field(2, self.string(text))))

    def write(self, path):
        out = bytearray()
        for sample in self.samples:
            raw = field(1, b"".join(map(varint, sample.locations))) if sample.locations else b""
            raw += field(2, b"".join(map(varint, sample.values)))
            raw += b"".join(field(n, v) for n, v in sample.labels)
            out += field(self.SAMPLE, raw)
        for number, table in ((self.LOCATION, self.locations), (self.FUNCTION, self.functions)):
            for raw in table.values():
                out += field(number, b"".join(field(n, v) for n, _, v in raw))
        for number, text in ((self.DROP, self.drop_frames), (self.KEEP, self.keep_frames)):
            if text is not None:
                out += field(number, self.string(text))
        for number, value in self.rest:
            out += field(number, value)
        for text in self.strings:
            out += field(self.STRING, text.encode())
        path.write_bytes(gzip.compress(bytes(out), 1, mtime=0))
