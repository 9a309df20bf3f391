/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to files, or to the command's standard output (see output.h). */
#include "gate/cli/output.h"

#include "gate/base/folders.h"
#include "gate/cli/paths.h"
#include "gate/cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef bool output_way(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                        struct gate_error *err);

static bool output_to(struct gate_cli *cli, const char *path, struct gate_str bytes, output_way *way,
                      struct gate_error *err) {
    if (!gate_paths_is_stream(path)) {
        gate_cli_tell(cli, "writing %s", path);
        return gate_folders_make_above(path, err) && way(path, bytes, cli->arena, err);
    }
    gate_progress_end(cli->progress);
    if (!gate_arena_check(cli->arena, err))
        return false;
    return gate_cli_write(cli->out, bytes) ||
           gate_error_set(err, GATE_ERR_IO, "standard output: cannot write: %s", strerror(errno));
}

bool gate_output_write(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err) {
    return output_to(cli, path, bytes, gate_outfile_write, err);
}

bool gate_output_keep(struct gate_cli *cli, const char *path, struct gate_str bytes, struct gate_error *err) {
    return output_to(cli, path, bytes, gate_outfile_keep, err);
}

static bool parts_take(void *context, struct gate_str bytes, struct gate_error *err) {
    struct gate_output_parts *parts = context;
    if (parts->is_file)
        return gate_outfile_parts_add(&parts->file, bytes, err);
    gate_buf_str(&parts->held, bytes);
    return gate_buf_check(&parts->held, err);
}

bool gate_output_parts_begin(struct gate_output_parts *parts, struct gate_cli *cli, const char *path,
                             struct gate_error *err) {
    *parts = (struct gate_output_parts){.cli = cli, .path = path};
    parts->held.pool = cli->arena->pool;
    parts->sink = (struct gate_sink){parts_take, parts};
    if (gate_paths_is_stream(path))
        return true;
    if (!gate_folders_make_above(path, err))
        return false;
    parts->is_file = gate_outfile_parts_begin(&parts->file, path, cli->arena);
    if (parts->is_file)
        gate_cli_tell(cli, "writing %s", path);
    return true;
}

bool gate_output_parts_end(struct gate_output_parts *parts, bool is_whole, struct gate_error *err) {
    bool ok = is_whole && gate_arena_check(parts->cli->arena, err);
    if (parts->is_file)
        return gate_outfile_parts_end(&parts->file, ok, err);
    ok = ok && gate_output_keep(parts->cli, parts->path, gate_buf_view(&parts->held), err);
    gate_buf_free(&parts->held);
    return ok;
}

bool gate_output_write_all(struct gate_cli *cli, const struct gate_output_file *files, size_t count,
                           struct gate_error *err) {
    size_t written = 0;
    while (written < count &&
           (files[written].path == NULL || gate_output_write(cli, files[written].path, files[written].bytes, err)))
        written++;
    for (size_t i = 0; written < count && i < written; i++)
        if (files[i].path != NULL && !gate_output_remove(files[i].path))
            gate_cli_tell(cli, "%s stays, though not all was written", files[i].path);
    return written == count;
}

static bool is_terminal(const struct gate_cli *cli, const char *path) {
    struct stat status;
    if (gate_paths_is_stream(path)) {
        int descriptor = fileno(cli->out);
        return descriptor >= 0 && isatty(descriptor);
    }
    if (stat(path, &status) != 0 || !S_ISCHR(status.st_mode))
        return false;
    int descriptor = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool is_one = descriptor >= 0 && isatty(descriptor);
    if (descriptor >= 0)
        (void)close(descriptor);
    return is_one;
}

bool gate_output_spare_terminal(const struct gate_cli *cli, const char *path, const char *option,
                                struct gate_error *err) {
    if (path == NULL || !is_terminal(cli, path))
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--%s': it is binary, and '%s' is a terminal; name a file, or redirect it", option,
                          gate_paths_is_stream(path) ? "standard output" : path);
}

bool gate_output_remove(const char *path) {
    return gate_paths_is_stream(path) || gate_outfile_remove(path);
}
