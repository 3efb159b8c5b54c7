"""A process shuts itself in before it reads a stranger's file: what it may use, where it may read and write.

Limits hold everywhere. Where the kernel has them (Linux 5.13 and newer), Landlock keeps it to the paths that
it is given, and a filter of system calls keeps it from the network, from other programs and processes.
Neither can be taken off again. Without them the limits, the clean environment and the readers' checks remain.

Sources: landlock(7), seccomp(2), linux/landlock.h, linux/audit.h.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_RULESET, _RULE, _RESTRICT = 444, 445, 446
_FILE = (1 << 1) | (1 << 2) | (1 << 14) | (1 << 15)
"""Writing, reading, cutting short, device controls: what may be allowed on a file, not only on a folder."""
_READ = (1 << 2) | (1 << 3)
_WRITE = _READ | (1 << 1) | (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 13) | (1 << 14)
"""Files and folders are made, changed, moved and removed; no links, devices, sockets."""
_PR_NO_NEW_PRIVS, _PR_SECCOMP, _PR_DEATH_SIGNAL = 38, 22, 1
_DENIED, _ALLOWED = 0x0005_0000 | 1, 0x7FFF_0000
"""What the filter answers: EPERM, or nothing."""
_MACHINES = {
    # audit architecture, socket, and what is refused: execve, execveat, ptrace, process_vm_readv and _writev,
    # io_uring_setup (which opens sockets by another way), kexec_load, bpf
    "x86_64": (0xC000_003E, 41, (59, 322, 101, 310, 311, 425, 246, 321)),
    "aarch64": (0xC000_00B7, 198, (221, 281, 117, 270, 271, 425, 104, 280)),
}
_HERE = (
    "/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types",
    "/etc/fonts", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/sys", "/sys/devices/system",
    "/sys/fs/cgroup", "/dev/urandom",
)  # fmt: skip
"""What programs and libraries read of a machine that is no user's."""


def limit(seconds: float, memory_bytes: int, written_bytes: int, open_files: int, cores: int) -> None:
    """Set this process's limits; 0 seconds is no limit of time. One that is set lower already stays.

    The memory is address space beside what is taken now, which the libraries take without using it.
    """
    with open("/proc/self/statm", encoding="ascii") as pages:
        taken = int(pages.read().split()[0]) * resource.getpagesize()
    wanted = {
        resource.RLIMIT_AS: taken + memory_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: written_bytes,
        resource.RLIMIT_NOFILE: open_files,
    }
    if seconds:
        wanted[resource.RLIMIT_CPU] = int(seconds * cores) + 1
    for what, most in wanted.items():
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def shut_in(reads: Iterable[str], writes: Iterable[str]) -> None:
    """From here on: no network, no other program; only those paths are read, and those folders written.

    What the kernel cannot do is left out.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")  # where memory runs out, this is what ends
    if libc.prctl(_PR_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return
    _keep_to(libc, reads, writes)
    _filter_calls(libc)


def end_with_parent() -> None:
    """Be killed when the thread that forked this process ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_DEATH_SIGNAL, 9, 0, 0, 0)


def can_keep_to_paths() -> bool:
    """Whether this kernel has Landlock."""
    return _version(ctypes.CDLL(None, use_errno=True)) > 0


def _version(libc: ctypes.CDLL) -> int:
    return int(libc.syscall(_RULESET, None, ctypes.c_size_t(0), 1)) if sys.platform == "linux" else -1


def _keep_to(libc: ctypes.CDLL, reads: Iterable[str], writes: Iterable[str]) -> None:
    version = _version(libc)
    if version < 1:
        return
    known = (1 << (13 if version < 2 else 14 if version < 3 else 15 if version < 5 else 16)) - 1
    rules = struct.pack("=QQQ", known, 0b11, 0b11)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(_RULESET, rules, ctypes.c_size_t(len(rules)), 0)
    if ruleset < 0:
        return
    for path in (*_libraries(), *reads):
        _allow(libc, ruleset, path, _READ & known)
    _allow(libc, ruleset, "/dev/null", _FILE & known)
    for path in writes:
        _allow(libc, ruleset, path, _WRITE & known)
    if libc.syscall(_RESTRICT, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process could not be kept to its folders")
    os.close(ruleset)


def _libraries() -> set[str]:
    named = {os.environ[name] for name in ("PROJ_DATA", "GDAL_DATA") if name in os.environ}
    return {*_HERE, str(ROOT / "data"), *named, sys.prefix, sys.base_prefix} - {"/"}


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _FILE
        libc.syscall(_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _filter_calls(libc: ctypes.CDLL) -> None:
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return
    program = _program(*machine)
    # struct sock_fprog: how many, and where they are
    code = ctypes.create_string_buffer(b"".join(program))
    about = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    libc.prctl(_PR_SECCOMP, 2, about, 0, 0)


def _program(architecture: int, socket: int, refused: Sequence[int]) -> list[bytes]:
    """The filter in BPF: one instruction is code, jump if true, jump if not, value."""

    def step(code: int, true: int, false: int, value: int) -> bytes:
        return struct.pack("=HBBI", code, true, false, value)

    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    count = len(refused)
    return [
        step(load, 0, 0, 4),  # the architecture
        step(equal, 0, count + 5, architecture),  # another one: refused
        step(load, 0, 0, 0),  # the call's number
        step(at_least, count + 3, 0, 0x4000_0000),  # x32's: refused
        *(step(equal, count + 2 - at, 0, each) for at, each in enumerate(refused)),
        step(equal, 0, 3, socket),  # another call: allowed
        step(load, 0, 0, 16),  # the socket's family
        step(equal, 1, 0, 1),  # AF_UNIX: allowed
        *(step(answer, 0, 0, each) for each in (_DENIED, _ALLOWED)),
    ]
