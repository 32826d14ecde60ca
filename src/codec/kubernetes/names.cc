#include "codec/kubernetes/names.h"

#include <algorithm>

namespace jettison::kube_json {
namespace {

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLowerOrDigit(char c) {
  return IsLower(c) || IsDigit(c);
}

// One label of any length.
bool IsLabelText(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

}  // namespace

bool IsDnsLabel(std::string_view name) {
  return name.size() <= 63 && IsLabelText(name);
}

bool IsDnsSubdomain(std::string_view name) {
  if (name.size() > 253) return false;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    if (!IsLabelText(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
  }
  return IsLabelText(name);
}

bool IsUid(std::string_view uid) {
  const auto is_letter_or_digit = [](char c) { return IsLowerOrDigit(c) || IsUpper(c); };
  return !uid.empty() && uid.size() <= 128 && is_letter_or_digit(uid.front()) &&
         std::all_of(uid.begin(), uid.end(), [&](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace jettison::kube_json
