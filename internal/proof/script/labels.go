package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// label lets a user replace the labels of an object. For the oracle it is a new
// version.
func (r *runner) label(arg string) error {
	name, text, _ := strings.Cut(arg, " ")
	k, err := graph.ParseKey(name)
	if err != nil {
		return err
	}
	set := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		label, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if ok {
			set[label] = value
		} else if label != "" {
			return errUsage
		}
	}
	r.note(oracle.Action{Verb: oracle.Touch, Object: graph.Object{Key: k}})
	if !r.w.Label(k, set) {
		r.printf("unchanged")
	}
	return nil
}

// renew gives a selection or a judgement an answer of now.
func (r *runner) renew(arg string) error {
	n, err := strconv.Atoi(arg)
	calls := r.w.Sides[r.side].Calls
	if err != nil || n < 1 || n > len(calls) || calls[n-1].Type != engine.CallSelect && calls[n-1].Type != engine.CallJudge {
		return errUsage
	}
	r.w.Renew(r.side, n-1)
	return nil
}

// selectedText returns a page of a selection in one line.
func selectedText(s ownergraph.SelectPage) string {
	var out []string
	for _, o := range s.Objects {
		text := fmt.Sprintf("%s#%s", o.Key, o.Version)
		if o.Value != "" {
			text += "=" + o.Value
		}
		out = append(out, text)
	}
	if s.More != "" {
		out = append(out, "...")
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, " ")
}
