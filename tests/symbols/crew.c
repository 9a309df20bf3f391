/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with names, a forked process, and one that starts a program: what recordings of perf keep apart. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t rounds;

__attribute__((noinline)) uint64_t mix(uint64_t seed, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        seed = (seed ^ i) * UINT64_C(0x9E3779B97F4A7C15);
    return seed;
}

__attribute__((noinline)) uint64_t sieve(uint64_t seed) {
    static __thread unsigned char marks[4096];
    for (uint64_t step = 2; step < 64; step++)
        for (uint64_t at = 2 * step; at < sizeof marks; at += step)
            marks[at] = (unsigned char)(seed + at);
    return marks[seed % sizeof marks];
}

__attribute__((noinline)) uint64_t turn(uint64_t seed) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        sum += mix(seed + i, 400);
        sum ^= sieve(sum);
    }
    return sum;
}

static void *work(void *name) {
    (void)pthread_setname_np(pthread_self(), name);
    printf("%llu\n", (unsigned long long)turn((uint64_t)(uintptr_t)name));
    return NULL;
}

int main(int argc, char **argv) {
    static char names[2][8] = {"baker", "miller"};
    pthread_t threads[2];
    rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    if (argc > 2) { /* the program that was started */
        printf("%llu\n", (unsigned long long)turn(3));
        return 0;
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, names[i]) != 0)
            return 1;
    pid_t child = fork();
    if (child == 0) {
        printf("%llu\n", (unsigned long long)turn(2));
        fflush(stdout);
        execl(argv[0], argv[0], argv[1], "again", (char *)NULL);
        return 1;
    }
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    (void)waitpid(child, NULL, 0);
    return 0;
}
