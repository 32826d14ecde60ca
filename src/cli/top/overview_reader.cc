#include "cli/top/overview_reader.h"

#include "api/overview/overview_fields.h"
#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"

namespace jettison {

Result<Overview> ReadOverview(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error().In("the agent's overview"));
  if (document->Find("signals") == nullptr || document->Find("at") == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "the agent's overview has no signals");
  }
  FormReader members(*document);
  Overview overview;
  VisitFields(members, overview);
  return overview;
}

}  // namespace jettison
