#include "sources/kubernetes/watch/line_cutter.h"

#include <utility>

namespace jettison::kube {

bool LineCutter::Push(std::string_view bytes, const std::function<void(std::string_view)>& visit) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    const std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (rest_.size() + piece.size() > most_bytes_) return Clear(), false;
    if (rest_.empty()) {
      if (!piece.empty()) visit(piece);
    } else {
      std::string line = std::exchange(rest_, {});
      visit(line.append(piece));
    }
  }
  if (rest_.size() + bytes.size() > most_bytes_) return Clear(), false;
  rest_.append(bytes);
  return true;
}

}  // namespace jettison::kube
