#include "http/client/host_addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <array>
#include <memory>

namespace jettison::http {

bool IsIpAddress(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

Result<std::string> AddressesOf(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); code != 0) {
    return Fail(ErrorCode::kUnavailable, ::gai_strerror(code));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(list, &::freeaddrinfo);
  std::string addresses;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) != 0) {
      continue;
    }
    const char* form = one->ai_family == AF_INET6 ? "{}[{}]" : "{}{}";
    addresses += fmt::format(fmt::runtime(form), addresses.empty() ? "" : ",", text.data());
  }
  return addresses;
}

std::string KnownAddresses(std::string_view host, std::string_view port,
                           std::string_view addresses) {
  return fmt::format("{}:{}:{}", host, port, addresses);
}

}  // namespace jettison::http
