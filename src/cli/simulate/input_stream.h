#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The bytes of a file or of standard input ("-"), whose beginning can be looked at before they are
// read, and which are counted. They are read once, in order.
class InputStream {
 public:
  // Fails where it cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<InputStream>> Open(const std::string& path);
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  [[nodiscard]] std::FILE* file() { return file_.get(); }
  // How it begins: up to kHeadBytes. What cannot be read ends it.
  [[nodiscard]] std::string_view Head();
  static constexpr std::size_t kHeadBytes = 4096;
  // Whether it has no byte; false where it cannot be read.
  [[nodiscard]] bool IsEmpty() { return Head().empty() && ended_; }

  // How much of it has been read, from 0 to 1; 0 where its length is not known.
  [[nodiscard]] double Progress() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit InputStream(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  [[nodiscard]] ssize_t Read(char* into, std::size_t size);
  [[nodiscard]] ssize_t ReadMore(char* into, std::size_t size);
  static ssize_t ReadCookie(void* cookie, char* into, std::size_t size);

  FileDescriptor descriptor_;
  std::string head_;
  std::size_t taken_ = 0;  // of the head
  std::uint64_t bytes_ = 0;
  std::uint64_t size_ = 0;  // of the file; 0: not known
  bool ended_ = false;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace jettison
