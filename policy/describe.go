package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Describe returns the article of a reason or of a doubt as lines for a person: the code with its
// words, the meaning, the cause and the remedy. The code may be in other letters, upper or lower.
// For another code the error names similar codes, and wraps graph.ErrInvalid.
//
//test:by TestDescribe TestDescribeErrors
func Describe(code string) (string, error) {
	var codes []string
	for r := ReasonUnset + 1; int(r) < len(articles); r++ {
		if strings.EqualFold(r.Code(), code) {
			return About(r).text(r.Code(), r.String()), nil
		}
		codes = append(codes, r.Code())
	}
	for d := graph.DoubtUnset + 1; int(d) < len(doubtArticles); d++ {
		if strings.EqualFold(d.Code(), code) {
			return AboutDoubt(d).text(d.Code(), d.String()), nil
		}
		codes = append(codes, d.Code())
	}
	if len(code) > maxCode {
		code = code[:maxCode]
	}
	return "", fmt.Errorf("describe reason %q: no such code, similar: %s: %w", code, strings.Join(similar(code, codes), ", "), graph.ErrInvalid)
}

func (a Article) text(code, words string) string {
	return fmt.Sprintf("%s: %s\nMeaning: %s\nCause: %s\nRemedy: %s\n", code, words, a.Meaning, a.Cause, a.Remedy)
}

const (
	maxCode    = 64 // bytes of a code that is compared
	maxSimilar = 3
)

// similar returns the words that are closest to a word, the closest first.
func similar(word string, words []string) []string {
	word = strings.ToLower(word)
	distance := make(map[string]int, len(words))
	for _, w := range words {
		low := strings.ToLower(w)
		distance[w] = edits(word, low)
		if word != "" && (strings.Contains(low, word) || strings.Contains(word, low)) {
			distance[w] = 0
		}
	}
	list := slices.SortedFunc(slices.Values(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b))
	})
	return list[:min(len(list), maxSimilar)]
}

// edits returns the number of bytes to add, remove or replace between two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
