#include "cli/report_template/template.h"

namespace jettison {

ReportTemplate TemplateOfReport() {
  return {};
}

}  // namespace jettison
