#include "job/sources/csv.h"

namespace dl::job {

void CsvSource::Check(nn::Mistakes& mistakes) const {
  const char sign = separator.empty() ? ',' : separator[0];  // an empty one is told already
  if (separator.size() > 1 || sign == '"' || sign == '\n' || sign == '\r' || sign == '\0' ||
      static_cast<unsigned char>(sign) >= 0x80) {
    mistakes.Add("the separator is not one ASCII character that can separate fields",
                 "Use \",\", \";\", \"\\t\" or the like");
  }
  if (std::holds_alternative<std::string>(label_column) && !header) {
    mistakes.Add("the label column has a name, but the file has no header",
                 "Give its index, or set header to true");
  }
}

}  // namespace dl::job
