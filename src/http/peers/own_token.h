#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::http {

inline constexpr std::string_view kOwnTokenFolder = "/run/jettison";

// Where an agent keeps the token that it made for a TCP address ("127.0.0.1:10350", "[::1]:10350"):
// "/run/jettison/http-127.0.0.1:10350.token". Clients on the machine find it by the same rule.
[[nodiscard]] std::string OwnTokenFile(std::string_view address,
                                       std::string_view folder = kOwnTokenFolder);

// A token made of random bytes, in a file that only root can read. The file goes with this.
class OwnToken {
 public:
  // Replaces a file that is there; makes its folder (0755) where that is missing.
  [[nodiscard]] static Result<OwnToken> Make(const std::string& path);
  OwnToken(OwnToken&& other) noexcept;
  OwnToken& operator=(OwnToken&& other) noexcept;
  ~OwnToken();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OwnToken(std::string path, ino_t inode) : path_(std::move(path)), inode_(inode) {}

  std::string path_;  // empty: moved from
  ino_t inode_ = 0;
};

}  // namespace jettison::http
