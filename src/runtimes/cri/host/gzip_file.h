#pragma once

namespace jettison::cri {

// Writes a compressed copy of a file, in gzip's format and with the file's mode, to `temporary`,
// renames that to `to` and removes the file. Gives an errno or 0; what fails leaves the file and no
// temporary one. For a forked child: allocates nothing and calls only what is async-signal-safe.
// Not for several threads at once.
[[nodiscard]] int GzipFile(const char* from, const char* temporary, const char* to);

}  // namespace jettison::cri
