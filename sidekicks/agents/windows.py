"""An agent's processes on Windows: a job object that ends them all, also when this program is gone."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

if sys.platform == "win32":
    from ctypes import wintypes

    _KILL_ON_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9
    _ACCOUNTING = 1
    _PROCESS_SET_QUOTA_AND_TERMINATE = 0x0101

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = (
            ("BasicLimitInformation", _BasicLimits),
            ("IoInfo", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    class _Accounting(ctypes.Structure):
        _fields_ = (
            ("TotalUserTime", ctypes.c_int64),
            ("TotalKernelTime", ctypes.c_int64),
            ("ThisPeriodTotalUserTime", ctypes.c_int64),
            ("ThisPeriodTotalKernelTime", ctypes.c_int64),
            ("TotalPageFaultCount", wintypes.DWORD),
            ("TotalProcesses", wintypes.DWORD),
            ("ActiveProcesses", wintypes.DWORD),
            ("TotalTerminatedProcesses", wintypes.DWORD),
        )

    class JobGroup:
        """A job with the process in it; what the process starts is in it too."""

        def __init__(self, pid: int) -> None:
            self._pid = pid
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            self._kernel.CreateJobObjectW.restype = wintypes.HANDLE
            self._kernel.OpenProcess.restype = wintypes.HANDLE
            self._job = wintypes.HANDLE(self._kernel.CreateJobObjectW(None, None))
            limits = _ExtendedLimits()
            limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE
            self._kernel.SetInformationJobObject(
                self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            process = wintypes.HANDLE(self._kernel.OpenProcess(_PROCESS_SET_QUOTA_AND_TERMINATE, False, pid))
            self._kernel.AssignProcessToJobObject(self._job, process)
            self._kernel.CloseHandle(process)

        def alive(self) -> bool:
            """Whether any process of the job still runs."""
            found = _Accounting()
            asked = self._kernel.QueryInformationJobObject(
                self._job, _ACCOUNTING, ctypes.byref(found), ctypes.sizeof(found), None
            )
            return bool(asked) and found.ActiveProcesses > 0

        def trace(self) -> None:
            """Nothing leaves a job."""

        def terminate(self) -> None:
            """CTRL_BREAK to the console group of the process."""
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.CTRL_BREAK_EVENT)

        def kill(self) -> None:
            """Ends all of them."""
            self._kernel.TerminateJobObject(self._job, 1)

        def close(self) -> None:
            """Gives the job back; whatever were still in it would end."""
            self._kernel.CloseHandle(self._job)
