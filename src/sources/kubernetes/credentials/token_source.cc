#include "sources/kubernetes/credentials/token_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

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

TokenSource::TokenSource(const ApiAccess& access, Elsewhere elsewhere)
    : token_(access.token), file_(access.token_file), reading_(std::move(elsewhere)) {}

const std::string& TokenSource::Current(Instant now) {
  TakeRead();
  const bool is_fresh = read_at_ && now >= *read_at_ && Elapsed(*read_at_, now) < kReadEvery;
  if (!file_.empty() && !is_fresh) Read(now);
  TakeRead();
  return token_;
}

void TokenSource::TakeRead() {
  auto token = reading_.Take();
  if (!token) return;
  if (*token) {
    token_ = **std::move(token);
    fault_.reset();
  } else {
    fault_ = token->error();
  }
}

// A token that is being read may be the one that was refused, so it is read once more then.
void TokenSource::Refused(Instant now) {
  read_at_.reset();
  if (!file_.empty()) Read(now);
}

void TokenSource::Read(Instant now) {
  if (reading_.under_way()) return;
  read_at_ = now;
  reading_.Begin([file = file_] { return ReadToken(file); });
}

}  // namespace jettison::kube
