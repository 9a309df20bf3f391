// SPDX-License-Identifier: Apache-2.0
// The part of WASI (preview 1) that pprofgate.wasm uses, with files in memory. Runs in a worker of the page, and in Node.
// All paths are absolute. There are no links, permissions or times of files.
"use strict";

const ERRNO = { ok: 0, badf: 8, exist: 20, inval: 28, isdir: 31, noent: 44, nosys: 52, notdir: 54, notempty: 55 };
const TYPE = { device: 2, folder: 3, file: 4 };
const ROOT = 3; // the descriptor of '/', which WASI calls a preopen
const FLAG = { create: 1, directory: 2, exclusive: 4, truncate: 8 };

class Exit extends Error {
  constructor(status) {
    super(`exit ${status}`);
    this.status = status;
  }
}

// A file whose bytes grow. Writing doubles the buffer, so that many small writes stay cheap.
class MemoryFile {
  constructor(bytes = new Uint8Array(0)) {
    this.buffer = bytes;
    this.size = bytes.length;
  }
  get bytes() {
    return this.buffer.subarray(0, this.size);
  }
  reserve(size) {
    if (size > this.buffer.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.buffer.length, 4096));
      larger.set(this.bytes);
      this.buffer = larger;
    }
  }
  write(piece, at) {
    this.reserve(at + piece.length);
    this.buffer.set(piece, at);
    this.size = Math.max(this.size, at + piece.length);
  }
  resize(size) {
    this.reserve(size);
    this.buffer.fill(0, Math.min(size, this.size));
    this.size = size;
  }
}

// Folders are the keys whose value is null.
class MemoryFiles {
  constructor(files) {
    this.entries = new Map([["/", null]]);
    for (const [path, bytes] of Object.entries(files)) this.add(path, bytes);
  }
  add(path, bytes) {
    for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) this.entries.set(path.slice(0, at), null);
    this.entries.set(path, new MemoryFile(bytes));
  }
  names(folder) {
    const start = folder === "/" ? "/" : folder + "/";
    return [...this.entries.keys()].filter((path) => path !== "/" && path.startsWith(start) && !path.includes("/", start.length));
  }
  under(folder) {
    const found = {};
    for (const path of this.names(folder)) if (this.entries.get(path)) found[path] = this.entries.get(path).bytes.slice();
    return found;
  }
}

// Resolves "." and ".." without leaving the root.
function resolvePath(text) {
  const parts = [];
  for (const part of text.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  return "/" + parts.join("/");
}

// Runs the module once. Returns {status, stdout, stderr, files}, files being those below /out.
function runProgram(module, args, files, env = {}) {
  const system = new MemoryFiles(files);
  const streams = [new MemoryFile(), new MemoryFile(), new MemoryFile()];
  const open = new Map(streams.map((file, i) => [i, { file, at: 0, device: true }]));
  open.set(ROOT, { path: "/" });
  let next = ROOT + 1;
  let memory;

  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const view = () => new DataView(memory.buffer);
  const bytes = (at, len) => new Uint8Array(memory.buffer, at, len);
  const text = (at, len) => decoder.decode(bytes(at, len));
  const u32 = (at, value) => view().setUint32(at, value, true);
  const u64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const strings = (list) => list.map((word) => encoder.encode(word + "\0"));
  const words = strings(["pprofgate", ...args]);
  const variables = strings(Object.entries(env).map(([name, value]) => `${name}=${value}`));

  const putSizes = (list, count, size) => {
    u32(count, list.length);
    u32(size, list.reduce((sum, word) => sum + word.length, 0));
    return ERRNO.ok;
  };
  const putStrings = (list, table, at) => {
    list.forEach((word, i) => {
      u32(table + 4 * i, at);
      bytes(at, word.length).set(word);
      at += word.length;
    });
    return ERRNO.ok;
  };
  const pathOf = (fd, at, len) => {
    const folder = open.get(fd);
    return folder && folder.path !== undefined ? resolvePath(folder.path + "/" + text(at, len)) : null;
  };
  const putStatus = (at, entry, device) => {
    bytes(at, 64).fill(0);
    view().setUint8(at + 16, device ? TYPE.device : entry === null ? TYPE.folder : TYPE.file);
    u64(at + 24, 1);
    u64(at + 32, entry === null ? 0 : entry.size);
    return ERRNO.ok;
  };
  // Applies `each` to the pieces that a vector of the program names; stops when it moves fewer bytes than the piece has.
  const vectors = (list, count, out, each) => {
    let moved = 0;
    for (let i = 0; i < count; i++) {
      const at = view().getUint32(list + 8 * i, true), len = view().getUint32(list + 8 * i + 4, true);
      const done = each(bytes(at, len), moved);
      moved += done;
      if (done < len) break;
    }
    u32(out, moved);
    return ERRNO.ok;
  };
  const readAt = (file, piece, at) => {
    const found = file.bytes.subarray(at, at + piece.length);
    piece.set(found);
    return found.length;
  };
  const withFile = (fd, action) => {
    const one = open.get(fd);
    return one === undefined ? ERRNO.badf : one.file === undefined ? ERRNO.isdir : action(one);
  };

  const calls = {
    args_sizes_get: (count, size) => putSizes(words, count, size),
    args_get: (table, at) => putStrings(words, table, at),
    environ_sizes_get: (count, size) => putSizes(variables, count, size),
    environ_get: (table, at) => putStrings(variables, table, at),
    clock_time_get: (clock, precision, out) => {
      u64(out, Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6));
      return ERRNO.ok;
    },
    random_get: (at, len) => {
      for (let i = 0; i < len; i += 65536) crypto.getRandomValues(bytes(at + i, Math.min(65536, len - i)));
      return ERRNO.ok;
    },
    proc_exit: (status) => {
      throw new Exit(status);
    },
    poll_oneoff: () => ERRNO.nosys,
    fd_prestat_get: (fd, out) => {
      if (fd !== ROOT) return ERRNO.badf;
      u32(out, 0);
      u32(out + 4, 1);
      return ERRNO.ok;
    },
    fd_prestat_dir_name: (fd, at) => {
      bytes(at, 1)[0] = 0x2f;
      return ERRNO.ok;
    },
    fd_fdstat_get: (fd, out) => {
      const one = open.get(fd);
      if (one === undefined) return ERRNO.badf;
      bytes(out, 24).fill(0);
      view().setUint8(out, one.device ? TYPE.device : one.file ? TYPE.file : TYPE.folder);
      u64(out + 8, 0x1fffffffn); // all rights; a device with the right to seek is no terminal for the C library
      u64(out + 16, 0x1fffffffn);
      return ERRNO.ok;
    },
    fd_fdstat_set_flags: () => ERRNO.ok,
    fd_filestat_get: (fd, out) => {
      const one = open.get(fd);
      return one === undefined ? ERRNO.badf : putStatus(out, one.file ?? null, one.device);
    },
    fd_filestat_set_size: (fd, size) => withFile(fd, ({ file }) => {
      file.resize(Number(size));
      return ERRNO.ok;
    }),
    fd_pread: (fd, list, count, at, out) => withFile(fd, ({ file }) =>
      vectors(list, count, out, (piece, moved) => readAt(file, piece, Number(at) + moved))),
    fd_read: (fd, list, count, out) => withFile(fd, (one) =>
      vectors(list, count, out, (piece) => {
        const done = readAt(one.file, piece, one.at);
        one.at += done;
        return done;
      })),
    fd_write: (fd, list, count, out) => withFile(fd, (one) =>
      vectors(list, count, out, (piece) => {
        const at = one.device ? one.file.size : one.at;
        one.file.write(piece, at);
        one.at = at + piece.length;
        return piece.length;
      })),
    fd_seek: (fd, offset, whence, out) => withFile(fd, (one) => {
      const at = Number(offset) + (whence === 0 ? 0 : whence === 1 ? one.at : one.file.size);
      if (at < 0) return ERRNO.inval;
      one.at = at;
      u64(out, at);
      return ERRNO.ok;
    }),
    fd_tell: (fd, out) => withFile(fd, (one) => {
      u64(out, one.at);
      return ERRNO.ok;
    }),
    fd_sync: () => ERRNO.ok,
    fd_close: (fd) => (open.delete(fd) ? ERRNO.ok : ERRNO.badf),
    fd_readdir: (fd, at, size, cookie, out) => {
      const folder = open.get(fd);
      if (folder === undefined || folder.path === undefined) return ERRNO.badf;
      const names = [".", "..", ...system.names(folder.path)];
      let used = 0;
      for (let i = Number(cookie); i < names.length && used < size; i++) {
        const name = encoder.encode(names[i].slice(i < 2 ? 0 : names[i].lastIndexOf("/") + 1));
        const record = new Uint8Array(24 + name.length), head = new DataView(record.buffer);
        head.setBigUint64(0, BigInt(i + 1), true);
        head.setBigUint64(8, BigInt(i + 1), true); // an inode of 0 would be an unused entry
        head.setUint32(16, name.length, true);
        head.setUint8(20, i < 2 || system.entries.get(names[i]) === null ? TYPE.folder : TYPE.file);
        record.set(name, 24);
        const part = record.subarray(0, size - used);
        bytes(at + used, part.length).set(part);
        used += part.length;
      }
      u32(out, used);
      return ERRNO.ok;
    },
    path_open: (fd, look, at, len, flags, rights, inheriting, fdflags, out) => {
      const path = pathOf(fd, at, len);
      if (path === null) return ERRNO.badf;
      let entry = system.entries.get(path);
      if (entry === undefined && !(flags & FLAG.create)) return ERRNO.noent;
      if (entry === undefined) {
        if (system.entries.get(resolvePath(path + "/..")) !== null) return ERRNO.noent;
        system.add(path);
        entry = system.entries.get(path);
      } else if (flags & FLAG.create && flags & FLAG.exclusive) return ERRNO.exist;
      if (entry !== null && flags & FLAG.directory) return ERRNO.notdir;
      if (entry !== null && flags & FLAG.truncate) entry.resize(0);
      open.set(next, entry === null ? { path } : { file: entry, at: fdflags & 1 ? entry.size : 0 });
      u32(out, next++);
      return ERRNO.ok;
    },
    path_filestat_get: (fd, look, at, len, out) => {
      const entry = system.entries.get(pathOf(fd, at, len));
      return entry === undefined ? ERRNO.noent : putStatus(out, entry, false);
    },
    path_filestat_set_times: () => ERRNO.ok,
    path_readlink: (fd, at, len) => (system.entries.has(pathOf(fd, at, len)) ? ERRNO.inval : ERRNO.noent),
    path_create_directory: (fd, at, len) => {
      const path = pathOf(fd, at, len);
      if (system.entries.has(path)) return ERRNO.exist;
      if (system.entries.get(resolvePath(path + "/..")) !== null) return ERRNO.noent;
      system.entries.set(path, null);
      return ERRNO.ok;
    },
    path_unlink_file: (fd, at, len) => {
      const path = pathOf(fd, at, len);
      if (system.entries.get(path) === null) return ERRNO.isdir;
      return system.entries.delete(path) ? ERRNO.ok : ERRNO.noent;
    },
    path_remove_directory: (fd, at, len) => {
      const path = pathOf(fd, at, len);
      if (!system.entries.has(path)) return ERRNO.noent;
      if (system.entries.get(path) !== null) return ERRNO.notdir;
      if (system.names(path).length) return ERRNO.notempty;
      system.entries.delete(path);
      return ERRNO.ok;
    },
    path_rename: (fd, at, len, other, to, toLen) => {
      const from = pathOf(fd, at, len), path = pathOf(other, to, toLen);
      const entry = system.entries.get(from);
      if (entry === undefined) return ERRNO.noent;
      if (entry === null || system.entries.get(path) === null) return ERRNO.isdir;
      system.entries.delete(from);
      system.entries.set(path, entry);
      return ERRNO.ok;
    },
  };

  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: calls });
  memory = instance.exports.memory;
  let status = 0;
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    status = error.status;
  }
  return { status, stdout: decoder.decode(streams[1].bytes), stderr: decoder.decode(streams[2].bytes), files: system.under("/out") };
}

// In the page's worker: the first message is the compressed module, each later one a run.
if (typeof onmessage !== "undefined" && typeof document === "undefined") {
  let compiled;
  self.onmessage = async ({ data }) => {
    if (data.packed) {
      const stream = new Blob([data.packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      compiled = new Response(stream).arrayBuffer().then((code) => WebAssembly.compile(code));
      return;
    }
    try {
      self.postMessage({ id: data.id, ...runProgram(await compiled, data.args, data.files) });
    } catch (error) {
      self.postMessage({ id: data.id, crash: String(error) });
    }
  };
}
