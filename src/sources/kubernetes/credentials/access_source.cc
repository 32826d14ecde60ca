#include "sources/kubernetes/credentials/access_source.h"

#include <utility>

namespace jettison::kube {

bool AccessSource::IsDue(Instant now) const {
  return now < read_at_ || Elapsed(read_at_, now) >= (is_doubted_ ? kReadAfterFailure : kReadEvery);
}

bool AccessSource::HasOtherCertificates(const ApiAccess& read) const {
  const bool is_same_server = read.server == access_.server &&
                              read.path_prefix == access_.path_prefix &&
                              read.server_name == access_.server_name;
  const bool is_same_tls = read.ca_pem == access_.ca_pem && read.cert_pem == access_.cert_pem &&
                           read.key_pem == access_.key_pem;
  return is_same_server && !is_same_tls;
}

std::optional<ApiAccess> AccessSource::Changed(Instant now) {
  if (!read_) return std::nullopt;
  if (IsDue(now) && !reading_.under_way()) {
    read_at_ = now;
    reading_.Begin(read_);
  }
  auto reading = reading_.Take();
  if (!reading || !reading->faults.empty()) return std::nullopt;
  is_doubted_ = false;
  if (!HasOtherCertificates(reading->access)) return std::nullopt;
  return std::move(reading->access);
}

std::vector<std::string> NeedRestart(const ApiAccess& in_use, const ApiAccess& read) {
  std::vector<std::string> keys;
  const auto compare = [&](const char* key, bool is_same) {
    if (!is_same) keys.emplace_back(key);
  };
  compare("server", read.server == in_use.server && read.path_prefix == in_use.path_prefix);
  compare("tls-server-name", read.server_name == in_use.server_name);
  // A token in a file comes before the other, which then has no effect.
  const bool is_in_file = !read.token_file.empty() && !in_use.token_file.empty();
  compare("token", is_in_file || read.token == in_use.token);
  compare("tokenFile", read.token_file == in_use.token_file);
  return keys;
}

}  // namespace jettison::kube
