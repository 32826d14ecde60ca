#include "cli/shadow/shadow_reader.h"

#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "core/shadow/shadow_fields.h"

namespace jettison {

Result<ShadowView> ReadShadow(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error().In("the agent's comparison with the kubelet"));
  if (document->Find("counters") == nullptr || document->Find("at") == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "the agent's comparison with the kubelet has no counters");
  }
  FormReader fields(*document);
  ShadowView view;
  VisitFields(fields, view);
  return view;
}

}  // namespace jettison
