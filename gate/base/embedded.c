/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up of embedded files (see embedded.h). */
#include "gate/base/embedded.h"

struct gate_str gate_embedded_find(const char *name) {
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return file->bytes;
    return (struct gate_str){NULL, 0};
}
