package relocate

// An alignment prefers runs: a pair after a pair is worth more than a pair after a
// gap.
const (
	runBonus = 0.4
	gapCost  = 0.03
)

// align returns for each unit of a the index of its partner in b, or -1. The
// partners are in order.
func align(a, b []unit) []int {
	width := len(b) + 1
	pair := make([]float32, (len(a)+1)*width) // the best that ends in a pair
	any := make([]float32, len(pair))         // the best of all
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			at := i*width + j
			pair[at] = -1e9
			if i < len(a) && j < len(b) {
				if l := likeness(a[i], b[j]); l > 0 {
					next := at + width + 1
					pair[at] = l + max(any[next], pair[next]+runBonus)
				}
			}
			any[at] = pair[at]
			if i < len(a) {
				any[at] = max(any[at], any[at+width]-gapCost)
			}
			if j < len(b) {
				any[at] = max(any[at], any[at+1]-gapCost)
			}
			if i == len(a) && j == len(b) {
				any[at] = 0
			}
		}
	}
	return trace(pair, any, len(a), len(b))
}

// trace reads the best alignment out of the tables.
func trace(pair, any []float32, n, m int) []int {
	width, partners := m+1, make([]int, n)
	for i := range partners {
		partners[i] = -1
	}
	for i, j, run := 0, 0, false; i < n && j < m; {
		at := i*width + j
		switch {
		case run && pair[at]+runBonus >= any[at], pair[at] >= any[at]:
			partners[i] = j
			i, j, run = i+1, j+1, true
		case any[at+width] >= any[at+1]:
			i, run = i+1, false
		default:
			j, run = j+1, false
		}
	}
	return partners
}

// common returns the pairs of equal units of a longest common subsequence.
func common(a, b []unit) []int {
	width := len(b) + 1
	best := make([]int, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			at := i*width + j
			if best[at] = max(best[at+1], best[at+width]); a[i].text == b[j].text {
				best[at] = max(best[at], best[at+width+1]+1)
			}
		}
	}
	partners := make([]int, len(a))
	for i, j := 0, 0; i < len(a); i++ {
		partners[i] = -1
		for j < len(b) && best[i*width+j+1] == best[i*width+j] {
			j++
		}
		if j < len(b) && a[i].text == b[j].text && best[i*width+j] == best[(i+1)*width+j+1]+1 {
			partners[i] = j
			j++
		}
	}
	return partners
}
