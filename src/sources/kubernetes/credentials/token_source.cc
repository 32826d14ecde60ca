#include "sources/kubernetes/credentials/token_source.h"

#include <algorithm>
#include <chrono>

#include "http/tls_files.h"

namespace jettison::kube {
namespace {

constexpr Duration kReadEvery = std::chrono::minutes(1);
constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::string TrimmedLine(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
}

Result<std::string> ReadToken(const std::string& path) {
  const auto text = http::ReadPemFile(path);
  if (!text) return Fail(text.error());
  std::string token = TrimmedLine(*text);
  const bool is_line = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!token.empty() && is_line) return token;
  return Fail(ErrorCode::kInvalidArgument, "must hold a token, which is one word");
}

TokenSource::TokenSource(const ApiAccess& access)
    : token_(access.token), file_(access.token_file) {}

const std::string& TokenSource::Current(Instant now) {
  if (file_.empty()) return token_;
  if (read_at_ && now >= *read_at_ && Elapsed(*read_at_, now) < kReadEvery) return token_;
  read_at_ = now;
  auto token = ReadToken(file_);
  if (token) {
    token_ = *std::move(token);
    fault_.reset();
  } else {
    fault_ = token.error();
  }
  return token_;
}

}  // namespace jettison::kube
