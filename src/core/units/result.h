#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace jettison {

// What kind of failure an Error is, for programs; people read its message.
enum class ErrorCode {
  kInvalidArgument,   // the input breaks a rule; nothing was done
  kNotFound,          // the thing asked for does not exist, or vanished meanwhile
  kPermissionDenied,  // the kernel or the runtime refused
  kUnavailable,       // a peer or a kernel facility does not answer or is not there
  kDeadlineExceeded,  // it took too long
  kInternal,          // anything else the environment answered
};

// A failure: a code for programs and one sentence for people. Each layer adds its context in front.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // The same failure seen from one layer up: "CONTEXT: message".
  [[nodiscard]] Error In(std::string_view context) const {
    return {code, std::string(context) + ": " + message};
  }
  friend bool operator==(const Error&, const Error&) = default;
};

// A value of type T, or why there is none.
template <typename T>
using Result = tl::expected<T, Error>;

// Builds the failing side of a Result.
[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
[[nodiscard]] inline tl::unexpected<Error> Fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

// What is said of a text that is no `kind`, and why; a long one is cut off.
[[nodiscard]] inline tl::unexpected<Error> NotA(std::string_view kind, std::string_view text,
                                                std::string_view why) {
  constexpr std::size_t kShown = 64;
  std::string message(1, '"');
  message += text.substr(0, kShown);
  if (text.size() > kShown) message += "...";
  return Fail(ErrorCode::kInvalidArgument,
              message + "\" is not " + std::string(kind) + ": " + std::string(why));
}

}  // namespace jettison
