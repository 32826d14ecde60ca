#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "core/units/result.h"

namespace jettison {

// The kind of failure that a system call's errno stands for. ESRCH and ENODEV are what the kernel
// answers about a process or a group that has just gone.
[[nodiscard]] inline ErrorCode ErrorCodeOf(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENODEV:
    case ESRCH: return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::kPermissionDenied;
    case ENOSYS:
    case EOPNOTSUPP:
    case EBUSY:
    case EAGAIN: return ErrorCode::kUnavailable;
    case ETIMEDOUT: return ErrorCode::kDeadlineExceeded;
    default: return ErrorCode::kInternal;
  }
}

// What a system call answered: "WHAT: No such file or directory".
[[nodiscard]] inline Error SystemError(int errno_value, std::string_view what) {
  return Error{ErrorCodeOf(errno_value), std::generic_category().message(errno_value)}.In(what);
}

// The failing side of a Result for a system call that just failed; call it before errno changes.
[[nodiscard]] inline tl::unexpected<Error> FailErrno(std::string_view what) {
  return Fail(SystemError(errno, what));
}

}  // namespace jettison
