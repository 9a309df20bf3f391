/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests on disk: a folder is begun once and resumed later, and its manifest is complete after each profile. */
#include "gate/base/hash.h"
#include "gate/capture/manifest.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/utsname.h>

static const struct gate_manifest_run one = {
    .round = 1, .side = GATE_CANARY, .kind = {"cpu", 3}, .file = {"a.pb.gz", 7}, .start_ms = 1, .end_ms = 2};

TEST(a_folder_is_created_and_resumed) {
    char name[] = "/tmp/manifest_file.XXXXXX";
    struct gate_manifest manifest;
    assert_non_null(mkdtemp(name));
    assert_false(gate_manifest_file_exists(name, &arena));
    assert_true(gate_manifest_file_begin(&manifest, name, false, &arena, &err));
    assert_true(manifest.host.cpus > 0);
    assert_true(gate_manifest_file_take(&manifest, name, &one, GATE_STR("bytes"), &arena, &err));
    assert_true(gate_manifest_file_exists(name, &arena));
    gate_manifest_file_end(&manifest);
    struct gate_manifest again;
    assert_true(gate_manifest_file_begin(&again, name, false, &arena, &err));
    assert_int_equal(again.count, 1);
    assert_true(gate_str_equal(again.runs[0].digest, gate_sha256_hex(GATE_STR("bytes"), &arena)));
    assert_false(gate_manifest_file_take(&again, name, &one, GATE_STR("bytes"), &arena, &err));
    gate_manifest_file_end(&again);
    (void)unlink(gate_path_join(name, GATE_STR(GATE_MANIFEST_FILE), &arena));
    assert_false(gate_manifest_file_begin(&again, name, false, &arena, &err));
    assert_non_null(strstr(err.message, "has files and no manifest.json"));
    (void)unlink(gate_path_join(name, one.file, &arena));
    (void)rmdir(name);
}

TEST(only_one_process_writes_to_a_folder) {
    char name[] = "/tmp/manifest_file.XXXXXX";
    struct gate_manifest manifest, other;
    assert_non_null(mkdtemp(name));
    assert_true(gate_manifest_file_begin(&manifest, name, false, &arena, &err));
    assert_false(gate_manifest_file_begin(&other, name, false, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(err.message, "another capture, gate or try writes to this folder"));
    gate_manifest_file_end(&other); /* must not release the lock of `manifest` */
    assert_false(gate_manifest_file_begin(&other, name, false, &arena, &err));
    gate_manifest_file_end(&manifest);
    gate_manifest_file_end(&manifest);
    assert_true(gate_manifest_file_begin(&other, name, false, &arena, &err));
    gate_manifest_file_end(&other);
    assert_int_equal(rmdir(name), 0); /* the lock file is gone, too */
}

/* Read the first `len` - 1 bytes of a file; "" if it does not exist. */
static void read_start(char *out, size_t len, const char *path) {
    FILE *file = fopen(path, "r");
    size_t got = file == NULL ? 0 : fread(out, 1, len - 1, file);
    out[got] = '\0';
    if (file != NULL)
        assert_int_equal(fclose(file), 0);
}

/* The kernel updates the load every 5 s, so it is read until it was the same before and after. */
TEST(the_host_is_what_the_system_reports) {
    char before[64], after[64], processors[65536];
    struct gate_manifest_host host;
    struct utsname name;
    do {
        read_start(before, sizeof before, "/proc/loadavg");
        gate_manifest_file_host(&host, &arena);
        read_start(after, sizeof after, "/proc/loadavg");
    } while (strtod(before, NULL) != strtod(after, NULL));
    assert_true(host.load == (before[0] == '\0' ? -1.0 : strtod(before, NULL)));
    assert_int_equal(host.cpus, sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(uname(&name), 0);
    assert_true(gate_str_equal(host.kernel, gate_str_format(&arena, "%s %s", name.sysname, name.release)));
    read_start(processors, sizeof processors, "/proc/cpuinfo");
    const char *line = strstr(processors, "model name");
    if (line == NULL) {
        assert_int_equal(host.cpu_model.len, 0);
    } else {
        const char *model = strchr(line, ':') + 2;
        assert_true(gate_str_equal(host.cpu_model, (struct gate_str){model, strcspn(model, "\n")}));
    }
}

/* State of a folder if the process is killed between writing its first profile and updating the manifest: the manifest
 * exists and has 0 runs. */
TEST(a_folder_has_its_manifest_before_a_profile) {
    char name[] = "/tmp/manifest_file.XXXXXX";
    struct gate_manifest manifest;
    struct gate_manifest_run deep = one;
    deep.file = GATE_STR("not_there/a.pb.gz");
    assert_non_null(mkdtemp(name));
    assert_int_equal(close(creat(gate_path_join(name, GATE_STR("manifest.json.a1B2c3"), &arena), 0600)), 0);
    /* a temporary file, left by a process killed while it wrote the manifest, does not matter */
    assert_true(gate_manifest_file_begin(&manifest, name, false, &arena, &err));
    assert_false(gate_manifest_file_take(&manifest, name, &deep, GATE_STR("bytes"), &arena, &err));
    gate_manifest_file_end(&manifest);
    assert_true(gate_manifest_file_exists(name, &arena));
    assert_true(gate_manifest_file_begin(&manifest, name, false, &arena, &err));
    assert_int_equal(manifest.count, 0);
    assert_true(gate_manifest_file_take(&manifest, name, &one, GATE_STR("bytes"), &arena, &err));
    gate_manifest_file_end(&manifest);
    (void)unlink(gate_path_join(name, GATE_STR("manifest.json.a1B2c3"), &arena));
    (void)unlink(gate_path_join(name, GATE_STR(GATE_MANIFEST_FILE), &arena));
    (void)unlink(gate_path_join(name, one.file, &arena));
    assert_int_equal(rmdir(name), 0);
}

/* A file that the manifest does not list is kept. A new folder may contain such files only with --force. */
TEST(files_that_the_manifest_lacks_are_kept) {
    char name[] = "/tmp/manifest_file.XXXXXX", text[16] = {0};
    struct gate_manifest manifest;
    assert_non_null(mkdtemp(name));
    const char *path = gate_path_join(name, one.file, &arena);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("mine", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_false(gate_manifest_file_begin(&manifest, name, false, &arena, &err));
    assert_non_null(strstr(err.message, "--force"));
    assert_true(gate_manifest_file_begin(&manifest, name, true, &arena, &err));
    assert_true(gate_manifest_file_take(&manifest, name, &one, GATE_STR("bytes"), &arena, &err));
    gate_manifest_file_end(&manifest);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 4);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, "mine");
    assert_true(gate_manifest_file_read(&manifest, name, &arena, &err));
    assert_int_equal(manifest.count, 1);
    assert_false(gate_str_equal(manifest.runs[0].file, one.file));
    assert_int_equal(unlink(gate_path_join(name, manifest.runs[0].file, &arena)), 0);
    assert_int_equal(unlink(gate_path_join(name, GATE_STR(GATE_MANIFEST_FILE), &arena)), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(name), 0);
}

TEST(errors_name_the_file) {
    struct gate_manifest manifest;
    assert_false(gate_manifest_file_read(&manifest, "/nowhere/at/all", &arena, &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all/manifest.json"));
    assert_false(gate_manifest_file_begin(&manifest, "/dev/null", false, &arena, &err));
    assert_non_null(strstr(err.message, "/dev/null: expected a folder"));
}
