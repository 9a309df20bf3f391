/* SPDX-License-Identifier: Apache-2.0 */
/* --symbols and --debuginfod: opens symbol files and queries debuginfod servers. The protocol is GET
 * SERVER/buildid/ID/debuginfo (elfutils, debuginfod(8)). */
#include "gate/session/debuginfod.h"

#include "gate/base/file.h"
#include "gate/base/str.h"
#include "gate/capture/http.h"
#include "gate/formats/format.h"
#include "gate/session/profile_options.h"
#include "gate/symbols/binary_names.h"
#include "gate/symbols/class_map.h"
#include "gate/symbols/elf_head.h"
#include "gate/symbols/perf_map.h"
#include "gate/symbols/symbol_files.h"
#include "gate/symbols/symbolise.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool file_prepare(struct gate_symbol_source *source, const struct gate_symbol_file *file,
                         struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_str text = GATE_STR("");
    if (file->kind == GATE_SYMBOLS_ELF && !gate_binary_names_is_built())
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--symbols': '%.*s' is a binary, and this program was built without libdw, which "
                              "reads them; 'pprofgate version' lists the features of a build",
                              GATE_STR_ARG(file->path));
    if (file->kind == GATE_SYMBOLS_CLASS_MAP && source->class_path != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--symbols': '%.*s' and '%s' both map names of classes, and it is unknown which "
                              "profile each is for; give each profile its own with 'pprofgate merge --symbols'",
                              GATE_STR_ARG(file->path), source->class_path);
    if (file->kind == GATE_SYMBOLS_CLASS_MAP) {
        source->class_path = file->path.ptr;
        if (gate_source_read(&text, file->path, &limits, source->arena, err) &&
            gate_class_map_read(&source->classes, text, source->arena, err))
            return true;
        return gate_error_prefix(err, "option '--symbols': '%.*s'", GATE_STR_ARG(file->path));
    }
    if (file->kind != GATE_SYMBOLS_PERF_MAP || (gate_source_read(&text, file->path, &limits, source->arena, err) &&
                                                gate_perf_map_read(&source->map, text, source->arena, err)))
        return true;
    return gate_error_prefix(err, "option '--symbols': '%.*s'", GATE_STR_ARG(file->path));
}

/* Add `path`, a file or a folder (symbols/symbol_files.h). Perf maps and mapping.txt files are read at once.
 *
 * err   errors of gate_symbol_files_add and gate_source_read; GATE_ERR_USAGE for a binary if built without libdw, or
 *       for a second mapping.txt */
static bool symbol_source_add(struct gate_symbol_source *source, const char *path, struct gate_error *err) {
    size_t first = source->files.count;
    bool ok = gate_symbol_files_add(&source->files, path, source->arena, err);
    for (size_t i = first; ok && i < source->files.count; i++)
        ok = file_prepare(source, &source->files.items[i], err);
    return ok;
}

/* A profile can name any number of binaries, and each of them takes two queries. */
enum { CONNECT_SECONDS = 10, ANSWER_SECONDS = 600, QUERIES_MAX = 1000 };

static const size_t answer_bytes_max = (size_t)1 << 30;

/* Context of the queries. */
struct debuginfod {
    struct gate_session *session;
    char *servers; /* separated by spaces; one that does not answer is overwritten by spaces */
    const char *cache;
    uint32_t builds_queried; /* number of build ids queried so far */
};

static void on_note(void *context, struct gate_str text) {
    const struct debuginfod *from = context;
    gate_session_note(from->session, text);
}

static bool note(const struct debuginfod *from, struct gate_str text, struct gate_error *err) {
    if (text.ptr == NULL)
        return gate_arena_error(from->session->arena, err);
    gate_session_note(from->session, text);
    return true;
}

/* Removes the next server from the list and returns it; empty: none left. */
static struct gate_str server_next(struct gate_str *servers) {
    *servers = gate_str_trim(*servers);
    size_t end = gate_str_find(*servers, GATE_STR(" "), 0);
    struct gate_str server = gate_str_slice(*servers, 0, end);
    *servers = gate_str_slice(*servers, server.len, servers->len);
    while (server.len != 0 && server.ptr[server.len - 1] == '/')
        server.len--;
    return server;
}

/* Returns whether `path` is a whole ELF file of this build. Files of the cache are not trusted either. */
static bool is_of_build(const char *path, const char *id) {
    struct gate_elf_head head;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok =
        descriptor >= 0 && gate_elf_head_read(&head, descriptor) && !head.is_cut && strcmp(head.build_id, id) == 0;
    if (descriptor >= 0)
        (void)close(descriptor);
    return ok;
}

/* Removes a server that does not answer from the list, so that later queries, which may be thousands, do not wait for
 * it. */
static bool server_drop(const struct debuginfod *from, struct gate_str server, struct gate_error *why) {
    struct gate_str text = gate_str_format(from->session->arena, "debuginfod: %.*s is not queried again: %s",
                                           GATE_STR_ARG(server), why->message);
    for (char *at = from->servers + (server.ptr - from->servers); *at != '\0' && *at != ' '; at++)
        *at = ' ';
    if (text.ptr == NULL)
        return gate_arena_error(from->session->arena, why);
    gate_session_note(from->session, text);
    return false;
}

/* Downloads a file from one server to `path`. Returns false and sets `why` if the server does not have it. */
static bool download(const struct debuginfod *from, struct gate_str server, const char *id, const char *what,
                     const char *path, struct gate_error *why) {
    struct gate_arena *arena = from->session->arena;
    struct gate_fetch request = {.seconds = ANSWER_SECONDS, .max_bytes = answer_bytes_max};
    struct gate_fetch *const requests[] = {&request};
    const struct gate_fetch_options options = {.connect_seconds = CONNECT_SECONDS, .what = "debug information"};
    struct gate_str address = gate_str_format(arena, "%.*s/buildid/%s/%s", GATE_STR_ARG(server), id, what);
    if (address.ptr == NULL)
        return gate_arena_error(arena, why);
    bool ok = gate_capture_url_read(&request.url, address, why) && gate_fetch_all(requests, 1, &options, arena, why);
    if (ok && !request.is_well) {
        *why = request.err;
        ok = why->code == GATE_ERR_IO && request.status == 0 ? server_drop(from, server, why) : false;
    }
    if (ok && !gate_elf_head_sniff(request.body.ptr, request.body.len))
        ok = gate_error_set(why, GATE_ERR_FORMAT, "what it sent is not an ELF file");
    ok = ok && gate_folders_make_above(path, why) && gate_outfile_keep(path, gate_buf_view(&request.body), arena, why);
    gate_buf_free(&request.body);
    if (ok && !is_of_build(path, id)) {
        (void)unlink(path);
        ok = gate_error_set(why, GATE_ERR_FORMAT, "what it sent is not whole, or of another build id");
    }
    return ok;
}

/* Finds a file in the cache or on a server. `*path` is NULL if none has it. */
static bool get(const char **path, const struct debuginfod *from, const char *id, const char *what,
                struct gate_error *why) {
    struct gate_str kept = gate_str_format(from->session->arena, "%s/%s/%s", from->cache, id, what);
    struct gate_str servers = gate_str_from(from->servers);
    *path = NULL;
    if (kept.ptr == NULL)
        return gate_arena_error(from->session->arena, why);
    bool is_there = is_of_build(kept.ptr, id);
    while (!is_there) {
        struct gate_str server = server_next(&servers);
        if (server.len == 0)
            return true;
        is_there = download(from, server, id, what, kept.ptr, why);
    }
    *path = kept.ptr;
    return true;
}

static bool fetch(void *context, struct gate_symbol_source *source, const char *id, struct gate_error *err) {
    static const char *const kinds[] = {"debuginfo", "executable"};
    struct debuginfod *from = context;
    struct gate_arena *arena = from->session->arena;
    struct gate_error why = {0};
    if (from->builds_queried == QUERIES_MAX)
        return note(from,
                    gate_str_format(arena,
                                    "debuginfod: the profiles name more than %d binaries; the others are not queried",
                                    QUERIES_MAX),
                    err);
    from->builds_queried++;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *path = NULL;
        if (!get(&path, from, id, kinds[i], &why))
            return gate_error_set(err, why.code, "debuginfod: %s", why.message);
        if (path == NULL)
            continue;
        if (symbol_source_add(source, path, &why))
            return true;
        return note(from, gate_str_format(arena, "debuginfod: %s", why.message), err);
    }
    return note(from,
                gate_str_format(arena, "debuginfod has nothing of build id %s: %s", id,
                                why.message[0] == '\0' ? "no server answers" : why.message),
                err);
}

const char *gate_debuginfod_cache(struct gate_arena *arena) {
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg != NULL && xdg[0] == '/')
        return gate_str_format(arena, "%s/pprofgate/debuginfod", xdg).ptr;
    if (home != NULL && home[0] == '/')
        return gate_str_format(arena, "%s/.cache/pprofgate/debuginfod", home).ptr;
    return NULL;
}

static bool servers_open(struct debuginfod *from, const struct gate_symbol_options *options, struct gate_error *err) {
    const char *servers = getenv("DEBUGINFOD_URLS");
    struct gate_error why = {0};
    if (!gate_fetch_is_built())
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--debuginfod': this program was built without libcurl, so no server can be used");
    if (!gate_fetch_check(&why))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--debuginfod': %s", why.message);
    if (servers == NULL || gate_str_trim(gate_str_from(servers)).len == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--debuginfod': no server is named; set DEBUGINFOD_URLS, such as to "
                              "'https://debuginfod.elfutils.org'");
    from->servers = (char *)gate_arena_alloc(from->session->arena, strlen(servers) + 1);
    if (from->servers == NULL)
        return gate_arena_error(from->session->arena, err);
    memcpy(from->servers, servers, strlen(servers) + 1);
    from->cache = options->cache != NULL ? options->cache : gate_debuginfod_cache(from->session->arena);
    if (from->cache == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--debuginfod': no folder for what comes; add --debuginfod-cache DIR");
    return true;
}

bool gate_debuginfod_open(const struct gate_symbol_options *options, struct gate_session *session,
                          struct gate_error *err) {
    if (session->symbols != NULL)
        return true;
    struct gate_symbol_source *source = GATE_NEW_ARRAY(session->arena, struct gate_symbol_source, 1);
    struct debuginfod *from = GATE_NEW_ARRAY(session->arena, struct debuginfod, 1);
    if (source == NULL || from == NULL)
        return gate_arena_error(session->arena, err);
    from->session = session;
    gate_symbol_source_init(source, session->arena);
    source->listener = (struct gate_symbol_listener){.context = from, .note = on_note};
    if (options->asks_servers && !servers_open(from, options, err))
        return false;
    if (options->asks_servers)
        source->listener.fetch = fetch;
    for (uint32_t i = 0; i < options->paths.count; i++)
        if (!symbol_source_add(source, options->paths.items[i], err))
            return false;
    session->symbols = source;
    return true;
}
