package view

// colour is the look of a node on a light or a dark page. Text stands on fill with a
// contrast of at least 4.5, and line on the page with at least 3.
//
//test:by TestContrast
type colour struct{ fill, line string }

const (
	lightText, lightPage, lightEdge = "#1b1b1b", "#ffffff", "#555555"
	darkText, darkPage, darkEdge    = "#f2f2f2", "#16181d", "#b0b0b0"
)

// colours returns the looks of a class on a light and on a dark page.
func colours(c class) (light, dark colour) {
	switch c {
	case live:
		return colour{"#eaf4ea", "#2e7d32"}, colour{"#17301b", "#66bb6a"}
	case marked:
		return colour{"#fff0e0", "#b25600"}, colour{"#3a2712", "#f0a050"}
	case waiting:
		return colour{"#fff5cc", "#8a6d00"}, colour{"#35300f", "#d9bd3c"}
	case orphaning:
		return colour{"#f3e8fa", "#7b2fa0"}, colour{"#2e1d38", "#c48be0"}
	case absent:
		return colour{"#eeeeee", "#616161"}, colour{"#2a2a2a", "#a8a8a8"}
	case unknown:
		return colour{"#e6eef8", "#33649c"}, colour{"#182636", "#7fb0e8"}
	case kept:
		return colour{"#e3f5f3", "#00756a"}, colour{"#10312e", "#4db6ac"}
	case held:
		return colour{"#fde7e7", "#c62828"}, colour{"#3b1717", "#ef7f7f"}
	case protected:
		return colour{"#e6e9fb", "#3949ab"}, colour{"#1d2243", "#909df0"}
	case going:
		return colour{"#f7ebe4", "#9c4a1f"}, colour{"#33211a", "#dd9a74"}
	}
	return colour{"#f5f5f5", "#444444"}, colour{"#262626", "#c0c0c0"}
}

// css returns the name of the class in style sheets.
func (c class) css() string {
	switch c {
	case marked:
		return "marked"
	case waiting:
		return "waiting"
	case orphaning:
		return "orphaning"
	case kept:
		return "kept"
	case going:
		return "going"
	case actor:
		return "actor"
	}
	return classNames[c]
}
