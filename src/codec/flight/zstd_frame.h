#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// A text as a frame of zstd (RFC 8878), with its size and a checksum.

// Appends the frame of a text. kUnavailable: there was no memory for it.
[[nodiscard]] Result<void> AppendZstdFrame(std::string_view text, std::string& out);

// Whether these are the first bytes of a frame, as far as they go.
[[nodiscard]] bool BeginsZstdFrame(std::string_view bytes);

// The size of the frame that these bytes begin with. kNotFound: it is not all there.
// kInvalidArgument: it makes no sense.
[[nodiscard]] Result<std::size_t> ZstdFrameSize(std::string_view bytes);

// The text of a frame. kInvalidArgument: it is damaged, or larger than any that is written.
[[nodiscard]] Result<std::string> ZstdText(std::string_view frame);

}  // namespace jettison
