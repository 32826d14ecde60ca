#include "api/kubernetes/objects.h"

#include "core/json/json_writer.h"

namespace jettison {
namespace {

// metav1.StatusReason (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
std::string_view ReasonOf(int code) {
  switch (code) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 405: return "MethodNotAllowed";
    case 406: return "NotAcceptable";
    case 408: return "Timeout";
    case 413: return "RequestEntityTooLarge";
    case 415: return "UnsupportedMediaType";
    case 422: return "Invalid";
    case 429: return "TooManyRequests";
    case 500: return "InternalError";
    case 503: return "ServiceUnavailable";
    default: return "";
  }
}

void PutCauses(const std::vector<StatusCause>& causes, JsonWriter& json) {
  if (causes.empty()) return;
  json.Object("details", [&] {
    json.Objects("causes", causes, [&](const StatusCause& cause) {
      json.Field("reason", "FieldValueInvalid");
      json.Field("message", cause.message);
      if (!cause.field.empty()) json.Field("field", cause.field);
    });
  });
}

}  // namespace

HttpResponse StatusAnswer(int code, std::string_view message,
                          const std::vector<StatusCause>& causes) {
  HttpResponse answer;
  answer.status = code;
  JsonWriter json(answer.body);
  json.Object([&] {
    json.Field("kind", "Status");
    json.Field("apiVersion", "v1");
    json.Key("metadata");
    json.Json("{}");
    json.Field("status", "Failure");
    json.Field("message", message);
    if (const std::string_view reason = ReasonOf(code); !reason.empty()) {
      json.Field("reason", reason);
    }
    PutCauses(causes, json);
    json.Field("code", code);
  });
  answer.body += '\n';
  return answer;
}

}  // namespace jettison
