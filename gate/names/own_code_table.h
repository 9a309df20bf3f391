/* SPDX-License-Identifier: Apache-2.0 */
/* The rules per language for own code, libraries and runtimes. */
#ifndef GATE_NAMES_OWN_CODE_TABLE_H
#define GATE_NAMES_OWN_CODE_TABLE_H

#include "gate/model/profile.h"

/* Lists of words for the rows of own_code_table.c. Each word has a space before and after it. */

/* clang-format off */
/* First path elements of the packages of Go 1.26 (go list std cmd), and of packages that earlier versions had. */
#define GO_ROOTS \
    " archive arena bufio builtin bytes cmd cmp compress container context crypto database debug embed encoding " \
    "errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin " \
    "reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time unicode " \
    "unique unsafe vendor weak "

#define JVM_ROOTS \
    " java javax jdk sun sunw kotlin kotlinx scala clojure groovy "

/* Modules of Python 3.8 to 3.14 that are written in Python, from Lib/ of each version. Modules in C have no file.
 * `symbol` and `formatter` were removed in 3.10 and are left out, as programs use these names now. */
#define PYTHON_ROOTS \
    " __future__ _aix_support _android_support _apple_support _ast_unparse _bootlocale _bootsubprocess " \
    "_collections_abc _colorize _compat_pickle _compression _dummy_thread _ios_support _markupbase " \
    "_opcode_metadata _osx_support _py_abc _py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl " \
    "_sitebuiltins _strptime _threading_local _weakrefset abc aifc annotationlib antigravity argparse ast " \
    "asynchat asyncio asyncore base64 bdb binhex bisect bz2 cProfile calendar cgi cgitb chunk cmd code codecs " \
    "codeop collections colorsys compileall compression concurrent contextlib contextvars copy copyreg crypt csv " \
    "ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email " \
    "encodings ensurepip enum filecmp fileinput fnmatch fractions ftplib functools genericpath getopt getpass " \
    "gettext glob graphlib gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io " \
    "ipaddress json keyword lib2to3 linecache locale logging lzma mailbox mailcap mimetypes modulefinder msilib " \
    "multiprocessing netrc nntplib ntpath nturl2path numbers opcode operator optparse os pathlib pdb pickle " \
    "pickletools pipes pkgutil platform plistlib poplib posixpath pprint profile pstats pty py_compile pyclbr " \
    "pydoc pydoc_data queue quopri random re reprlib rlcompleter runpy sched secrets selectors shelve shlex " \
    "shutil signal site smtpd smtplib sndhdr socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl " \
    "stat statistics string stringprep struct subprocess sunau symtable sysconfig tabnanny tarfile telnetlib " \
    "tempfile textwrap this threading timeit tkinter token tokenize tomllib trace traceback tracemalloc tty " \
    "turtle turtledemo types typing unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib " \
    "xml xmlrpc zipapp zipfile zipimport zoneinfo "

/* Classes and modules of Ruby 3.1 to 3.4 and of its standard library, and stackprof's. Left out are Object, to
 * which methods outside of all classes belong, and words that programs use for modules of their own, such as Data. */
#define RUBY_ROOTS \
    " ARGF Array Base64 BasicObject BigDecimal Binding CGI CSV Class Comparable Complex DRb Date DateTime Dir " \
    "Digest ERB Encoding Enumerable Enumerator Errno Etc Exception FalseClass Fiber File FileTest FileUtils " \
    "Float Forwardable GC Gem Hash IO IPAddr Integer JSON Kernel Logger Marshal MatchData Math Method Module " \
    "Monitor MonitorMixin Mutex Net NilClass Numeric ObjectSpace Open3 OpenSSL OpenStruct OptionParser PP " \
    "PStore Pathname Prime Proc Process Psych Ractor Racc Random Range Rational RbConfig Readline Refinement " \
    "Regexp Reline Resolv Ripper RubyVM SecureRandom Set Shellwords SimpleDelegator Singleton SizedQueue Socket " \
    "StackProf String StringIO StringScanner Struct Symbol Syslog TCPServer TCPSocket Tempfile Thread " \
    "ThreadGroup Time Timeout TracePoint TrueClass TSort UDPSocket UNIXSocket URI UnboundMethod WEBrick WeakRef " \
    "YAML Zlib "

/* Crates of the sysroot, and the crates that std uses. */
#define RUST_ROOTS \
    " std core alloc proc_macro test std_detect stdarch hashbrown compiler_builtins backtrace addr2line gimli " \
    "miniz_oxide object adler adler2 rustc_demangle rustc_literal_escaper rustc_std_workspace_core " \
    "rustc_std_workspace_alloc panic_abort panic_unwind unwind cfg_if libc memchr dlmalloc __rustc "

/* Names that a program is unlikely to use for its own functions. Names that begin with '__' have their own row. */
#define LIBC_NAMES \
    " alloc_perturb malloc calloc realloc free cfree reallocarray posix_memalign aligned_alloc memalign " \
    "malloc_consolidate " \
    "malloc_trim sysmalloc systrim unlink_chunk tcache_init arena_get2 memcpy memmove memset memcmp memchr " \
    "memrchr memmem mempcpy bcmp bzero rawmemchr strlen strnlen strcpy strncpy stpcpy strcat strncat strcmp " \
    "strncmp strcasecmp strncasecmp strchr strrchr strchrnul strstr strspn strcspn strpbrk strtok strtok_r " \
    "strdup strndup strerror strtol strtoul strtoll strtoull strtod strtof strtold strftime strptime atoi atol " \
    "atoll atof printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf asprintf vasprintf dprintf " \
    "puts fputs putc fputc putchar fwrite fread fopen fclose fflush fgets fgetc getc getline getdelim fseek " \
    "ftell scanf sscanf fscanf vsscanf isalnum isalpha isdigit isspace isupper islower isprint ispunct isxdigit " \
    "tolower toupper towlower towupper iswspace mbrtowc wcrtomb mbstowcs qsort qsort_r bsearch msort_with_tmp " \
    "rand srand random rand_r exp log pow sqrt sin cos tan atan atan2 floor ceil fmod exp2 log2 log10 cbrt hypot " \
    "lround llround nearbyint rint gettimeofday clock_gettime localtime_r gmtime_r mktime nanosleep usleep " \
    "clock_nanosleep getenv setenv fcntl ioctl pread pwrite pread64 pwrite64 readv writev lseek fstat lstat " \
    "opendir readdir closedir mmap munmap mprotect madvise brk sbrk epoll_wait epoll_ctl epoll_pwait ppoll " \
    "pselect recvfrom sendto recvmsg sendmsg recvmmsg sched_yield syscall clone clone3 start_thread fork vfork " \
    "execve waitpid sigaction sigprocmask raise abort pthread_create pthread_join pthread_mutex_lock " \
    "pthread_mutex_unlock pthread_mutex_trylock pthread_cond_wait pthread_cond_timedwait pthread_cond_signal " \
    "pthread_cond_broadcast pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock pthread_once " \
    "pthread_getspecific pthread_setspecific pthread_self pthread_kill sem_wait sem_post dlopen dlsym dlclose " \
    "getaddrinfo qfcvt_r setlocale lll_lock_wait "

/* Kernel functions that appear in stacks without a mark. Other rows cover most by their prefix. */
#define KERNEL_NAMES \
    " schedule schedule_timeout schedule_hrtimeout_range finish_task_switch prepare_task_switch " \
    "pick_next_task_fair enqueue_task_fair dequeue_task_fair update_curr update_load_avg try_to_wake_up " \
    "wake_up_process default_wake_function ret_from_fork ret_from_fork_asm kthread worker_thread " \
    "process_one_work handle_softirqs irq_exit_rcu net_rx_action process_backlog napi_poll run_timer_softirq " \
    "call_timer_fn run_rebalance_domains rebalance_domains load_balance hrtimer_interrupt hrtimer_nanosleep " \
    "tick_sched_timer tick_sched_handle update_process_times scheduler_tick do_futex futex_wait futex_wake " \
    "futex_wait_queue ep_poll do_epoll_wait do_poll do_select do_nanosleep handle_mm_fault do_user_addr_fault " \
    "exc_page_fault do_anonymous_page do_fault do_wp_page do_page_fault page_fault clear_page_erms " \
    "clear_page_rep copy_page alloc_pages_mpol get_page_from_freelist free_unref_page unmap_page_range " \
    "unmap_vmas zap_pte_range exit_mmap do_exit do_group_exit do_mmap do_madvise allocate_slab get_random_u32 " \
    "kmalloc_reserve kmalloc_trace kfree kfree_skb skb_release_data skb_copy_datagram_iter sock_sendmsg " \
    "sock_recvmsg sock_write_iter sock_read_iter tcp_sendmsg tcp_sendmsg_locked tcp_recvmsg tcp_recvmsg_locked " \
    "tcp_v4_rcv tcp_v4_do_rcv tcp_rcv_established tcp_ack tcp_write_xmit tcp_push tcp_delack_timer " \
    "tcp_delack_timer_handler ip_output ip_finish_output2 ip_rcv ip_local_deliver ip_queue_xmit dev_queue_xmit " \
    "dev_hard_start_xmit new_sync_read new_sync_write pick_link step_into walk_component link_path_walk " \
    "path_lookupat filename_lookup user_path_at_empty do_readlinkat path_openat do_filp_open mutex_lock " \
    "mutex_unlock rwsem_down_write_slowpath native_write_msr native_sched_clock native_queued_spin_lock_slowpath " \
    "syscall_exit_to_user_mode exit_to_user_mode_loop copy_user_enhanced_fast_string copy_user_generic_unrolled " \
    "common_interrupt its_return_thunk build_detached_freelist " \
    "perf_event_task_tick swapper cpu_startup_entry do_idle cpuidle_enter cpuidle_enter_state intel_idle " \
    "secondary_startup_64 "

/* Shared libraries of the operating system and of language runtimes, in any folder. */
#define LIBRARY_STEMS \
    " libc libm libpthread librt libdl ld libresolv libnsl libutil libcrypt libstdc++ libc++ libc++abi libgcc_s " \
    "libgomp libatomic libunwind libjemalloc libtcmalloc libtcmalloc_minimal libtcmalloc_and_profiler " \
    "libmimalloc libprofiler libasan libssl libcrypto libz libzstd liblzma libbz2 libjvm libjava libjli " \
    "libjimage libnio libnet libzip libasyncProfiler libpython2 libpython3 libnode libruby libperl libcoreclr " \
    "libclrjit libSystem linux-vdso ntdll "

/* clang-format on */

/* ---- rows of the table behind own_code.h: one per rule, and one per vote for a language -------------------------- */

/** The part of a frame that a row tests. */
enum gate_own_code_on {
    GATE_OWN_CODE_ON_SPELLED, /* the function in the profile's spelling */
    GATE_OWN_CODE_ON_NAME,    /* without type arguments, parameters, return type and suffixes */
    GATE_OWN_CODE_ON_ROOT,    /* first element of an import path, package, crate path or relative file */
    GATE_OWN_CODE_ON_FILE,    /* the profile's file, else the file in a Python or V8 name; '\' equals '/' */
    GATE_OWN_CODE_ON_MAPPING,
    GATE_OWN_CODE_ON_OTHER,    /* the mapping, unless it is the program's binary */
    GATE_OWN_CODE_ON_STEM,     /* OTHER without folder and version: "libc" for /lib64/libc-2.31.so */
    GATE_OWN_CODE_ON_NAMELESS, /* the mapping, if the frame has no name */
    GATE_OWN_CODE_ONS
};

enum gate_own_code_how {
    GATE_OWN_CODE_HOW_IS,
    GATE_OWN_CODE_HOW_STARTS,
    GATE_OWN_CODE_HOW_ENDS,
    GATE_OWN_CODE_HOW_CONTAINS,
    GATE_OWN_CODE_HOW_LACKS,
    GATE_OWN_CODE_HOW_IN,      /* equal to one word of the text */
    GATE_OWN_CODE_HOW_PRESENT, /* not empty; the row has no text */
    GATE_OWN_CODE_HOW_METHOD,  /* "Cart#price", but not "com.shop.Cart#price"; the row has no text */
    GATE_OWN_CODE_HOW_RUNTIME  /* gate_name_is_runtime; the row has no text */
};

/** A test of one part of a frame. */
struct gate_own_code_test {
    enum gate_own_code_on on;
    enum gate_own_code_how how;
    uint16_t len;     /* length of the text */
    const char *text; /* for IN: words, each with a space before and after it */
};

/**
 * A rule. The first row for the frame's language that matches decides. The last row of each language matches every
 * named frame.
 */
struct gate_own_code_row {
    uint32_t languages; /* bit set: 1 << enum gate_language */
    struct gate_own_code_test test;
    enum gate_code code;
};

/**
 * A vote of a function for a language. The first row that matches is its vote. GATE_LANGUAGE_UNKNOWN: a language
 * without rows.
 */
struct gate_own_code_vote {
    enum gate_language language;
    struct gate_own_code_test test;
};

extern const struct gate_own_code_row gate_own_code_table_rows[];

extern const size_t gate_own_code_table_row_count;

/** Rows that test files come first, then names, then mappings. */
extern const struct gate_own_code_vote gate_own_code_table_votes[];

extern const size_t gate_own_code_table_vote_count;

#endif
