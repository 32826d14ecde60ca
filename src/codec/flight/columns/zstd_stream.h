#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Compresses one text after the other with little memory (370 KiB), which it keeps from text to
// text.
class ZstdWriter {
 public:
  ZstdWriter();
  ~ZstdWriter();
  ZstdWriter(ZstdWriter&&) noexcept;
  ZstdWriter& operator=(ZstdWriter&&) noexcept;

  // Begins a text, which is appended to `out`.
  void Begin(std::string& out);
  // More of it, in pieces of any size.
  void Add(std::string_view piece);
  // The text is complete. kUnavailable: there was no memory for it, and `out` is of no use.
  [[nodiscard]] Result<void> Finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Decompresses a text of `size` bytes. kInvalidArgument: the bytes are no such text.
[[nodiscard]] Result<std::string> ZstdText(std::string_view compressed, std::size_t size);

}  // namespace jettison
