# SPDX-License-Identifier: Apache-2.0
"""Writes JDK Flight Recorder files by hand: seeds of the fuzz target, inputs of tests/unit/test_jfr.c and of
tests/hostile/plants.py. None of them is a real recording."""
import struct

LONG, INT, STRING, BOOLEAN, SHORT, CHAR, FLOAT, DOUBLE, BYTE = range(1, 10)
SYMBOL, CLASS, METHOD, FRAME, STACK, FRAME_TYPE, THREAD, STATE = range(20, 28)
EXECUTION, NATIVE, CPU_TIME, WALL, TLAB, OUTSIDE, SAMPLE, LIVE, MALLOC, ENTER, PARK, SETTING, OTHER, FLAG, \
    LOAD, PROCESSOR, COLLECTION, COLLECTOR_TIME = range(101, 119)
NAMES = {LONG: "long", INT: "int", STRING: "java.lang.String", BOOLEAN: "boolean", SHORT: "short", CHAR: "char",
         FLOAT: "float", DOUBLE: "double", BYTE: "byte",
         SYMBOL: "jdk.types.Symbol", CLASS: "java.lang.Class", METHOD: "jdk.types.Method", FRAME: "jdk.types.StackFrame",
         STACK: "jdk.types.StackTrace", FRAME_TYPE: "jdk.types.FrameType", THREAD: "java.lang.Thread",
         STATE: "jdk.types.ThreadState", EXECUTION: "jdk.ExecutionSample", NATIVE: "jdk.NativeMethodSample",
         CPU_TIME: "jdk.CPUTimeSample", WALL: "profiler.WallClockSample", TLAB: "jdk.ObjectAllocationInNewTLAB",
         OUTSIDE: "jdk.ObjectAllocationOutsideTLAB", SAMPLE: "jdk.ObjectAllocationSample",
         LIVE: "profiler.LiveObject", MALLOC: "profiler.Malloc", ENTER: "jdk.JavaMonitorEnter",
         PARK: "jdk.ThreadPark", SETTING: "jdk.ActiveSetting", OTHER: "demo.Other",
         FLAG: "jdk.BooleanFlag", LOAD: "jdk.CPULoad", PROCESSOR: "jdk.CPUInformation",
         COLLECTION: "jdk.GarbageCollection", COLLECTOR_TIME: "jdk.GCCPUTime"}
CONSTANT, ARRAY, NANOSECONDS = "constant", "array", "nanoseconds"
START = [("startTime", LONG)]
WHO = [("eventThread", THREAD, CONSTANT), ("stackTrace", STACK, CONSTANT)]
CLASSES = {
    **{number: [] for number in range(LONG, BYTE + 1)},
    SYMBOL: [("string", STRING)],
    CLASS: [("classLoader", LONG), ("name", SYMBOL, CONSTANT), ("modifiers", INT)],
    METHOD: [("type", CLASS, CONSTANT), ("name", SYMBOL, CONSTANT), ("modifiers", INT), ("hidden", BOOLEAN)],
    FRAME: [("method", METHOD, CONSTANT), ("lineNumber", INT), ("bytecodeIndex", INT), ("type", FRAME_TYPE, CONSTANT)],
    STACK: [("truncated", BOOLEAN), ("frames", FRAME, ARRAY)],
    FRAME_TYPE: [("description", STRING)],
    THREAD: [("osName", STRING), ("osThreadId", LONG), ("javaName", STRING), ("javaThreadId", LONG)],
    STATE: [("name", STRING)],
    EXECUTION: [*START, ("sampledThread", THREAD, CONSTANT), ("stackTrace", STACK, CONSTANT), ("state", STATE, CONSTANT)],
    NATIVE: [*START, ("sampledThread", THREAD, CONSTANT), ("stackTrace", STACK, CONSTANT), ("state", STATE, CONSTANT)],
    CPU_TIME: [*START, ("stackTrace", STACK, CONSTANT), ("eventThread", THREAD, CONSTANT), ("failed", BOOLEAN),
               ("samplingPeriod", LONG, NANOSECONDS)],
    WALL: [*START, ("sampledThread", THREAD, CONSTANT), ("stackTrace", STACK, CONSTANT), ("state", STATE, CONSTANT),
           ("samples", INT)],
    TLAB: [*START, *WHO, ("objectClass", CLASS, CONSTANT), ("allocationSize", LONG), ("tlabSize", LONG)],
    OUTSIDE: [*START, *WHO, ("objectClass", CLASS, CONSTANT), ("allocationSize", LONG)],
    SAMPLE: [*START, *WHO, ("objectClass", CLASS, CONSTANT), ("weight", LONG)],
    LIVE: [*START, *WHO, ("objectClass", CLASS, CONSTANT), ("allocationSize", LONG)],
    MALLOC: [*START, *WHO, ("address", LONG), ("size", LONG)],
    ENTER: [*START, ("duration", LONG), *WHO, ("monitorClass", CLASS, CONSTANT)],
    PARK: [*START, ("duration", LONG), *WHO, ("parkedClass", CLASS, CONSTANT)],
    SETTING: [*START, ("id", LONG), ("name", STRING), ("value", STRING)],
    FLAG: [*START, ("name", STRING), ("value", BOOLEAN), ("origin", STRING)],
    LOAD: [*START, ("jvmUser", FLOAT), ("jvmSystem", FLOAT), ("machineTotal", FLOAT)],
    PROCESSOR: [*START, ("cpu", STRING), ("cores", INT), ("hwThreads", INT)],
    COLLECTION: [*START, ("duration", LONG), ("sumOfPauses", LONG)],
    COLLECTOR_TIME: [*START, ("gcId", INT), ("userTime", LONG, NANOSECONDS), ("systemTime", LONG, NANOSECONDS)],
    OTHER: [*START, ("a", SHORT), ("b", CHAR), ("c", FLOAT), ("d", DOUBLE), ("e", BYTE), ("f", STRING, ARRAY)],
}


class Writer:
    """The values of one chunk. Integers are varints, or words if not `compressed`."""

    def __init__(self, compressed=True):
        self.compressed = compressed

    def integer(self, value, size=8):
        value &= (1 << 64) - 1
        if not self.compressed:
            return (value & (1 << 8 * size) - 1).to_bytes(size, "big")
        out = b""
        for _ in range(8):
            if value < 0x80:
                return out + bytes([value])
            out, value = out + bytes([0x80 | value & 0x7F]), value >> 7
        return out + bytes([value])

    def int(self, value):
        return self.integer(value & 0xFFFFFFFF if self.compressed else value, 4)

    def text(self, value, encoding=3):
        """None, "" or a text; a number is a key in the pool of strings."""
        if value is None:
            return b"\0"
        if isinstance(value, int):
            return b"\2" + self.integer(value)
        if value == "":
            return b"\1"
        if encoding == 4:
            raw = value.encode("utf-16-le", "surrogatepass")
            units = struct.unpack(f"<{len(raw) // 2}H", raw)
            return b"\4" + self.int(len(units)) + b"".join(self.integer(unit, 2) for unit in units)
        raw = value.encode("latin-1" if encoding == 5 else "utf-8")
        return bytes([encoding]) + self.int(len(raw)) + raw

    def event(self, body):
        if not self.compressed:
            return (len(body) + 4).to_bytes(4, "big") + body
        size = len(body) + 4  # a varint of 4 bytes, padded, as the JDK writes it
        return bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21]) + body


class Chunk:
    """One chunk. Constants: {class: {key: bytes}}, a checkpoint each in `checkpoints`."""

    nested = 0  # elements of the metadata around its last one

    def __init__(self, compressed=True, classes=None, version=(2, 1), ticks=10**9):
        self.write, self.classes = Writer(compressed), CLASSES if classes is None else classes
        self.events, self.checkpoints, self.version, self.ticks = [], [], version, ticks

    def metadata(self):
        w, strings = self.write, []

        def index(text):
            if text not in strings:
                strings.append(text)
            return w.int(strings.index(text))

        def element(name, attributes=(), children=()):
            head = index(name) + w.int(len(attributes))
            return head + b"".join(index(k) + index(v) for k, v in attributes) + w.int(len(children)) + b"".join(children)

        classes = []
        for number, fields in self.classes.items():
            inside = []
            for name, kind, *more in fields:
                attributes = [("name", name), ("class", str(kind))]
                attributes += [("constantPool", "true")] if CONSTANT in more else []
                attributes += [("dimension", "1")] if ARRAY in more else []
                notes = [element("annotation", [("class", "99"), ("value", "NANOSECONDS")]),
                         element("other", [("value", "SECONDS")])] if NANOSECONDS in more else []  # only the first counts
                inside.append(element("field", attributes, notes))
            classes.append(element("class", [("name", NAMES.get(number, f"demo.Class{number}")), ("id", str(number))], inside))
        last = element("region", [("locale", "en")])
        for _ in range(self.nested):
            last = element("region", (), [last])
        root = element("root", (), [element("metadata", (), classes), last])
        table = w.int(len(strings)) + b"".join(w.text(text) for text in strings)
        return w.event(w.integer(0) + w.integer(7) + w.integer(0) + w.integer(1) + table + root)

    def checkpoint(self, constants, delta):
        w, body = self.write, b""
        for number, items in constants.items():
            body += w.integer(number) + w.int(len(items)) + b"".join(w.integer(k) + v for k, v in items.items())
        return w.event(w.integer(1) + w.integer(7) + w.integer(0) + w.integer(delta) + b"\0" + w.int(len(constants)) + body)

    def add(self, kind, *values):
        self.events.append(self.write.event(self.write.integer(kind) + b"".join(
            value if isinstance(value, bytes) else self.write.integer(value) for value in values)))

    def bytes(self, size=None):
        body, at, last = b"".join(self.events), [], 0
        for constants in self.checkpoints or [{}]:
            at.append(68 + len(body))
            body += self.checkpoint(constants, last - at[-1] if last else 0)
            last = at[-1]
        metadata = 68 + len(body)
        body += self.metadata()
        flags = 1 if self.write.compressed else 0
        return struct.pack(">4sHHqqqqqqqI", b"FLR\0", *self.version, len(body) + 68 if size is None else size, at[-1],
                           metadata, 10**18, 5 * 10**9, 1000, self.ticks, flags) + body


def constants(w, encoding=3):
    """Of a program with three methods, of stacks 1: add < main, 2: main, 3: epoll's wait < main."""
    frames = {1: [(1, 30), (2, 9)], 2: [(2, 10)], 3: [(3, -1), (2, 11)]}
    names = {1: "com/acme/Cart", 2: "add", 3: "main", 4: "sun/nio/ch/EPoll", 5: "wait",
             6: "java/util/concurrent/locks/ReentrantLock$NonfairSync", 7: "java/util/concurrent/SynchronousQueue"}

    def frame(method, line):
        return w.integer(method) + w.int(line) + w.int(0) + w.integer(1)
    return {
        SYMBOL: {key: w.text(name, encoding) for key, name in names.items()},
        CLASS: {key: w.integer(0) + w.integer(name) + w.int(1) for key, name in {1: 1, 2: 4, 3: 6, 4: 7}.items()},
        METHOD: {key: w.integer(owner) + w.integer(name) + w.int(1) + b"\0"
                 for key, (owner, name) in {1: (1, 2), 2: (1, 3), 3: (2, 5)}.items()},
        STACK: {key: b"\0" + w.int(len(stack)) + b"".join(frame(*f) for f in stack) for key, stack in frames.items()},
        FRAME_TYPE: {1: w.text("JIT compiled", encoding)},
        THREAD: {1: w.text("os", encoding) + w.integer(70) + w.text("pool-1-thread-2", encoding) + w.integer(9),
                 2: w.text("GC", encoding) + w.integer(71) + w.text(None) + w.integer(0)},
        STATE: {1: w.text("STATE_RUNNABLE", encoding)},
    }


def setting(chunk, kind, name, value):
    w = chunk.write
    chunk.add(SETTING, 1, kind, w.text(name), w.text(value))


def plain(compressed=True, encoding=3, **more):
    """Two samples of add, one of main, one of a native method that waits; 10 ms and 20 ms."""
    chunk = Chunk(compressed, **more)
    chunk.checkpoints = [constants(chunk.write, encoding)]
    chunk.add(EXECUTION, 1, 1, 1, 1)
    chunk.add(EXECUTION, 2, 1, 1, 1)
    chunk.add(EXECUTION, 3, 2, 2, 1)
    chunk.add(NATIVE, 3, 2, 3, 1)
    chunk.add(NATIVE, 3, 2, 2, 1)
    setting(chunk, EXECUTION, "period", "10 ms")
    setting(chunk, NATIVE, "period", "20 ms")
    return chunk


def inlined(**flags):
    """Add inlined into main, a stack that was cut within that, and flags of the JVM."""
    chunk = plain()
    w = chunk.write
    add, main = (w.integer(method) + w.int(line) + w.int(0) + w.integer(kind) for method, line, kind in ((1, 30, 2), (2, 9, 1)))
    known = chunk.checkpoints[0]
    known[FRAME_TYPE][2] = w.text("Inlined")
    known[STACK].update({1: b"\0" + w.int(2) + add + main, 4: b"\1" + w.int(1) + add})
    chunk.add(EXECUTION, 4, 1, 4, 1)
    for name, value in flags.items():
        chunk.add(FLAG, 1, w.text(name), bytes([value]), w.text("Command line"))
    return chunk


def of_agent(**settings):
    """What async-profiler writes: native frames, and the state of samples of CPU time."""
    chunk = Chunk()
    w = chunk.write
    known = constants(w)
    known[SYMBOL].update({8: w.text("libc.so.6"), 9: w.text("memcpy")})
    known[CLASS][5] = w.integer(0) + w.integer(8) + w.int(0)
    known[METHOD][4] = w.integer(5) + w.integer(9) + w.int(256) + b"\0"
    known[STACK][4] = b"\0" + w.int(2) + w.integer(4) + w.int(0) + w.int(0) + w.integer(3) + w.integer(1) + w.int(5) + w.int(0) + w.integer(0)
    known[FRAME_TYPE] = {0: w.text("Interpreted"), 1: w.text("JIT compiled"), 3: w.text("Native"), 5: w.text("Kernel")}
    known[STATE] = {0: w.text("STATE_DEFAULT"), 1: w.text("STATE_RUNNABLE"), 2: w.text("STATE_SLEEPING")}
    known[THREAD][3] = w.text("[tid=7]") + w.integer(7) + w.text(None) + w.integer(0)
    chunk.checkpoints = [known]
    for name, value in settings.items():
        setting(chunk, EXECUTION, name, value)
    return chunk


def loaded(collector=True, processors=4, loads=((2, .1, 0), (1, .9, .05), (4, .2, .05)), agent=False):
    """The samples of `plain`, and events of the system's clock: a load is of the time since the one before it, and what
    the first one says is of the time before the recording. Four processors used 0.4 s in a second and then 2 s in two,
    of which two collections took 0.4 s and 0.6 s."""
    chunk = plain()
    w = chunk.write
    chunk.add(PROCESSOR, 1, w.text("some"), w.int(2), w.int(processors))
    for second, user, system in loads:
        chunk.add(LOAD, second * 10**9, *(struct.pack(">f", part) for part in (user, system, 1)))
    for _ in range(2):
        chunk.add(COLLECTION, 2 * 10**9, 10**8, 10**8)
    if collector:
        chunk.add(COLLECTOR_TIME, 2 * 10**9, w.int(1), 3 * 10**8, 10**8)
        chunk.add(COLLECTOR_TIME, 3 * 10**9, w.int(2), 6 * 10**8, 0)
    if agent:
        setting(chunk, EXECUTION, "interval", "10000000")
    return chunk


def allocating(collector, add, main):
    """`loaded`, with as many allocations of 1,000 bytes in add and in main, and a collector that used so many
    tenths of a second."""
    chunk = loaded(collector=False)
    w = chunk.write
    setting(chunk, SAMPLE, "enabled", "true")
    chunk.add(COLLECTOR_TIME, 2 * 10**9, w.int(1), collector * 10**8, 0)
    for at in range(add):
        chunk.add(SAMPLE, at, 1, 1, 1, 1000)
    for at in range(main):
        chunk.add(SAMPLE, at, 2, 2, 1, 1000)
    return chunk.bytes()


def every_kind():
    chunk = plain()
    for kind, values in ((TLAB, (1, 1, 1, 1, 24, 1000)), (OUTSIDE, (1, 1, 2, 1, 500)), (SAMPLE, (1, 1, 1, 1, 9000)),
                         (LIVE, (1, 1, 1, 1, 24)), (MALLOC, (1, 1, 2, 4096, 64)), (ENTER, (1, 2000, 1, 1, 1)),
                         (PARK, (1, 3000, 1, 1, 3)), (PARK, (1, 9000, 1, 2, 4))):
        chunk.add(kind, *values)
    w = chunk.write
    chunk.add(OTHER, 1, w.integer(-1, 2), w.integer(7, 2), bytes(4), bytes(8), bytes(1),
              w.int(2) + w.text(None) + w.text("x"))
    return chunk


def nested(elements, classes):
    """A sample with a value of so many classes, one in the other, and metadata with so many elements around one."""
    inner = {300 + i: [("next", 301 + i)] for i in range(classes - 1)}
    chunk = Chunk(classes={**CLASSES, EXECUTION: [*CLASSES[EXECUTION], ("deep", 300)], **inner,
                           299 + classes: [("value", LONG)]})
    chunk.nested = elements
    chunk.checkpoints = [constants(chunk.write)]
    chunk.add(EXECUTION, 1, 1, 1, 1, 7)
    setting(chunk, EXECUTION, "period", "10 ms")
    return chunk.bytes()


def first_of_threads(is_last=False):
    """Two chunks. Thread 1 allocated 9,000,000 bytes before the recording; thread 2 began in it. `is_last`: that sample is
    written behind those that are later."""
    files = b""
    for number, (first, later) in enumerate(((9000000, 12), (3000, 6))):
        chunk = plain()
        samples = [(1 + 10 * number, first)] + [(2 + 10 * number + i, 1000) for i in range(later)]
        for at, weight in samples[1:] + samples[:1] if is_last else samples:
            chunk.add(SAMPLE, at, 1, 1, 1, weight)
        chunk.add(SAMPLE, 1, 2, 2, 1, 1900)
        files += chunk.bytes()
    return files


def seeds():
    """Files that are read; test_jfr.c has what they mean."""
    yield "plain", plain().bytes()
    yield "words", plain(compressed=False).bytes()
    yield "chars", plain(encoding=4).bytes()
    yield "latin1", plain(encoding=5).bytes()
    yield "version_1", plain(version=(1, 0)).bytes()
    yield "two_chunks", plain().bytes() + plain(compressed=False, encoding=4).bytes()
    yield "every_kind", every_kind().bytes()
    yield "first_of_threads", first_of_threads()
    yield "first_of_threads_last", first_of_threads(is_last=True)
    yield "nested", nested(14, 15)
    yield "ticks", every_kind_ticks().bytes()
    yield "cpu_time", cpu_time().bytes()
    yield "checkpoints", checkpoints().bytes()
    yield "texts", texts().bytes()
    yield "missing", missing().bytes()
    yield "inlined", inlined(DebugNonSafepoints=False, UseSerialGC=True).bytes()
    yield "placed", inlined(UseSerialGC=True, DebugNonSafepoints=True).bytes()
    agent = of_agent(interval="0", event="itimer", wall="20000000")
    agent.add(EXECUTION, 1, 1, 4, 0)
    agent.add(EXECUTION, 1, 3, 4, 0)
    agent.add(WALL, 1, 1, 4, 2, 5)
    yield "agent", agent.bytes()
    old = of_agent(interval="5000000", event="wall")
    old.add(EXECUTION, 1, 1, 1, 1)
    old.add(EXECUTION, 1, 1, 1, 2)
    yield "agent_old_wall", old.bytes()
    yield from agent_chunks(agent, old)
    cycles = of_agent(interval="1000000", event="cycles")
    cycles.add(EXECUTION, 1, 1, 1, 0)
    yield "agent_cycles", cycles.bytes()
    yield "loaded", loaded().bytes()
    yield "allocating", allocating(5, 20, 20)
    yield "allocating_more", allocating(20, 20, 100)
    yield "allocating_more_in_both", allocating(20, 200, 30)
    yield "allocating_for_less", allocating(5, 20, 100)
    yield "allocating_nothing", allocating(20, 0, 0)
    yield "allocating_alike", allocating(20, 22, 24)
    yield "loaded_twice", loaded().bytes() + loaded(loads=((3, .5, 0),)).bytes()
    yield "loaded_collector_unknown", loaded(collector=False).bytes()
    yield "loaded_processors_unknown", loaded(processors=0).bytes()
    yield "loaded_agent", loaded(agent=True).bytes()
    yield "loaded_little", loaded(loads=((1, 0, 0), (3, .01, 0))).bytes()
    yield "loaded_odd", loaded(loads=((1, 0, 0), (3, float("nan"), 0), (4, float("inf"), 1e30))).bytes()
    quiet = plain()
    setting(quiet, ENTER, "enabled", "true")
    setting(quiet, MALLOC, "enabled", "false")
    setting(quiet, 999, "enabled", "true")
    yield "no_contention", quiet.bytes()
    unknown = Chunk()
    unknown.checkpoints = [constants(unknown.write)]
    unknown.add(EXECUTION, 1, 1, 1, 1)
    yield "no_interval", unknown.bytes()
    bare = Chunk()
    bare.add(EXECUTION, 1, 1, 1, 1)
    yield "no_stack", bare.bytes()


def agent_chunks(agent, old):
    """async-profiler's settings are in the first chunk only. A chunk of the JDK has none of them."""
    second = of_agent()
    second.add(EXECUTION, 1, 1, 4, 0)
    second.add(WALL, 1, 1, 4, 2, 2)
    yield "agent_chunks", agent.bytes() + second.bytes()
    second = of_agent()
    second.add(EXECUTION, 1, 1, 1, 0)
    yield "agent_old_wall_chunks", old.bytes() + second.bytes() + second.bytes()
    other = Chunk(classes={number: fields for number, fields in CLASSES.items() if not NAMES[number].startswith("profiler.")})
    other.checkpoints = [constants(other.write)]
    other.add(EXECUTION, 1, 1, 1, 1)
    yield "agent_then_jdk", agent.bytes() + other.bytes()


def every_kind_ticks():
    chunk = Chunk(ticks=3)
    chunk.checkpoints = [constants(chunk.write)]
    chunk.add(ENTER, 1, 7, 1, 1, 1)
    return chunk


def cpu_time():
    chunk = plain()
    chunk.add(CPU_TIME, 1, 1, 1, b"\0", 11000000)
    chunk.add(CPU_TIME, 1, 0, 1, b"\1", 11000000)
    return chunk


def checkpoints():
    """Constants in three checkpoints. Of two constants with one key, the older one counts."""
    chunk = plain()
    w, known = chunk.write, chunk.checkpoints[0]
    newer = {SYMBOL: {2: w.text("newer"), 3: known[SYMBOL].pop(3)}}
    chunk.checkpoints = [known, {THREAD: known.pop(THREAD)}, newer]
    return chunk


def texts():
    """Names in every encoding, and through the pool of strings."""
    chunk = plain()
    w, known = chunk.write, chunk.checkpoints[0]
    known[STRING] = {5: w.text("größe", 5), 6: w.text("\U0001F600\u20ac\ud83dx", 4)}  # a lone surrogate
    known[SYMBOL].update({1: w.text(5), 2: w.text(6), 3: w.text("main", 4)})
    known[THREAD] = {1: w.text(None) + w.integer(70) + w.text("") + w.integer(9), 2: w.text("GC") + w.integer(7) + w.text(77) + w.integer(1)}
    return chunk


def missing():
    """A stack, a method and a class that are not among the constants."""
    chunk = plain()
    known = chunk.checkpoints[0]
    del known[METHOD][1], known[CLASS][2]
    chunk.add(EXECUTION, 1, 9, 77, 9)
    return chunk


def malformed():
    """Files that are refused; test_jfr.c has the message of each."""
    good = plain().bytes()
    at, metadata = struct.unpack(">qq", good[16:32])
    yield "bad_version", good[:4] + b"\0\0\0\x09" + good[8:]
    yield "bad_unfinished", good[:8] + bytes(8) + good[16:]
    yield "bad_header_cut", good + good[:40]
    yield "bad_cut", good + good[:-5]
    yield "bad_size_small", good[:8] + struct.pack(">q", 60) + good[16:]
    yield "bad_second_chunk", good + b"rest"
    yield "bad_metadata_place", good[:24] + struct.pack(">q", 1 << 40) + good[32:]
    yield "bad_metadata_type", good[:24] + struct.pack(">q", at) + good[32:]
    yield "bad_checkpoint_place", good[:16] + struct.pack(">q", len(good)) + good[24:]
    yield "bad_checkpoint_type", good[:16] + struct.pack(">q", metadata) + good[24:]
    yield "bad_event_size_zero", good[:68] + bytes([0x80, 0x80, 0x80, 0]) + good[72:]
    yield "bad_event_size_large", good[:68] + bytes([0xFF, 0xFF, 0xFF, 0x7F]) + good[72:]
    yield "bad_event_short", good[:68] + bytes([0x86, 0x80, 0x80, 0]) + good[72:]
    for name, delta in (("bad_chain_itself", -1), ("bad_chain_forward", 5), ("bad_chain_before", -10**6)):
        chunk = plain()
        chunk.checkpoint = lambda known, _, chunk=chunk, delta=delta: Chunk.checkpoint(chunk, known, delta)
        yield name, chunk.bytes()
    yield "bad_elements_nested", nested(15, 1)
    yield "bad_classes_nested", nested(0, 16)
    for name, classes in malformed_classes():
        chunk = Chunk(classes=classes)
        chunk.checkpoints = [{SYMBOL: {1: chunk.write.text("x")}}]
        chunk.add(EXECUTION, 1, 1, 1, 1)
        yield name, chunk.bytes()
    for name, change in malformed_constants():
        chunk = plain()
        change(chunk.write, chunk.checkpoints[0])
        yield name, chunk.bytes()
    yield from malformed_events()


def malformed_classes():
    yield "bad_class_twice", {**CLASSES, 200: [], "200": []}
    yield "bad_class_id", {**CLASSES, "x": []}
    yield "bad_no_class", {}
    yield "bad_class_in_itself", {**CLASSES, EXECUTION: [("self", EXECUTION)]}
    yield "bad_class_unknown", {**CLASSES, EXECUTION: [("a", 999)]}


def malformed_constants():
    def set_item(number, key, value):
        return lambda w, known: known.setdefault(number, {}).__setitem__(key, value(w))
    yield "bad_constant_class", set_item(999, 1, lambda w: b"")
    yield "bad_string_encoding", set_item(SYMBOL, 1, lambda w: b"\x06")
    yield "bad_string_long", set_item(SYMBOL, 1, lambda w: b"\3" + w.int(10**6))
    yield "bad_string_negative", set_item(SYMBOL, 1, lambda w: b"\3" + w.int(-1))
    yield "bad_chars_negative", set_item(SYMBOL, 1, lambda w: b"\4" + w.int(-1))
    yield "bad_array_negative", set_item(STACK, 1, lambda w: b"\0" + w.int(-5))
    yield "bad_array_long", set_item(STACK, 1, lambda w: b"\0" + w.int(2**31 - 1))

    def cycle(w, known):
        known[STRING] = {1: w.text(2), 2: w.text(1)}
        known[SYMBOL][1] = w.text(1)
    yield "bad_text_cycle", cycle


def malformed_events():
    chunk = plain()
    chunk.add(MALLOC, 1, 1, 2, 4096, -64)
    yield "bad_negative", chunk.bytes()
    empty = Chunk()
    empty.checkpoints = [constants(empty.write)]
    yield "bad_no_samples", empty.bytes()
    waits = Chunk()
    waits.checkpoints = [constants(waits.write)]
    waits.add(NATIVE, 1, 1, 3, 1)
    yield "bad_only_waits", waits.bytes()
    large = plain()
    for _ in range(3):
        large.add(TLAB, 1, 1, 1, 1, 1, 2**62)
    yield "bad_sum", large.bytes()


def all_seeds():
    yield from seeds()
    yield from malformed()
