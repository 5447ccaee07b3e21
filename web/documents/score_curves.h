// Curves of ROC and of precision by recall as a page draws them.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace dl::web {

// The area of a chart in the coordinates of its picture (SVG), in which y increases downwards.
struct ChartArea {
  double left = 60, top = 10, width = 280, height = 240;
};

// At most this number of curves of a chart have a color and a place in the legend: those with the
// smallest area under the ROC curve.
inline constexpr int kMaxColoredCurves = 8;

// Returns {} if `figures` has no curves. `figures` is the report of an evaluation
// (docs/operations/evaluate-and-predict.md); if it has several output layers, the curves are those
// of the last one that has any. Otherwise returns:
//
// - "curves": [{"name","roc_auc","average_precision","roc","precision_recall"}]. The last two are
//   paths of SVG within ChartArea. A colored curve has "color", from 1 (the smallest area under the
//   ROC curve) to kMaxColoredCurves. The order is that of drawing: curves with a color come last.
// - "colored": the curves with a color, by color, without paths.
// - "has_more": whether some curves have no color.
// - "points": [{"name","threshold","recall","false_positive_rate","precision"}] for the table: of
//   all curves in the order of `figures`, by ascending threshold. "precision" is absent if it has
//   no value.
// - "is_single", "are_answers", "are_classes": whether there is exactly one curve, or several of
//   yes-or-no answers or of classes.
//
// `answers` are the names of the answers in the order of the outputs, as far as they have names;
// other answers are "output N". They are not used if there are several output layers.
Json ScoreCurves(const Json& figures, const std::vector<std::string>& answers = {});

}  // namespace dl::web
