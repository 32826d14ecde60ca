#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::kube {

// What a page of a list says beside its items.
struct ListHead {
  std::string resource_version;  // of the list as a whole
  std::string continue_token;    // empty: it was the last page
  friend bool operator==(const ListHead&, const ListHead&) = default;
};

// Takes a page of a list ("PodList") apart: `visit` gets each item's JSON, which is valid only if a
// reader of it finds it so, in order. Nothing but one item at a time need be held beside the text.
// kInvalidArgument: it is no list; items may have been visited by then.
[[nodiscard]] Result<ListHead> ReadListPage(std::string_view json,
                                            const std::function<void(std::string_view)>& visit);

}  // namespace jettison::kube
