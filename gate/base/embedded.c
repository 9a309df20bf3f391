/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a file that is compiled into the program. */
#include "gate/base/embedded.h"

#include "gate/base/str.h"

struct gate_str gate_embedded_find(const char *name) {
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return file->bytes;
    return (struct gate_str){NULL, 0};
}
