package web

import (
	"context"
	"net/http"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

type reasonsPage struct {
	head
	Parts []reasonsPart
}

type reasonsPart struct {
	Title, Text string
	Words       []word
}

// reasons is the JSON form of the vocabulary.
type reasons struct {
	Schema  string `json:"schema"`
	Reasons []word `json:"reasons"`
	Doubts  []word `json:"doubts"`
}

type word struct {
	Code    string `json:"code"`
	Words   string `json:"words"`
	Holds   bool   `json:"holds,omitempty"` // an object with the reason is held
	Meaning string `json:"meaning"`
	Cause   string `json:"cause"`
	Remedy  string `json:"remedy"`
}

// reasons makes the vocabulary of all reasons and doubts, from package policy.
//
//test:by TestReasons
func (h *Handler) reasons(context.Context, *http.Request) (content, error) {
	out := reasons{Schema: "ownergraph/reasons/v1"}
	for r := policy.ReasonUnset + 1; policy.About(r) != (policy.Article{}); r++ {
		a := policy.About(r)
		out.Reasons = append(out.Reasons, word{r.Code(), r.String(), r.Held(), a.Meaning, a.Cause, a.Remedy})
	}
	for d := graph.DoubtUnset + 1; policy.AboutDoubt(d) != (policy.Article{}); d++ {
		a := policy.AboutDoubt(d)
		out.Doubts = append(out.Doubts, word{d.Code(), d.String(), false, a.Meaning, a.Cause, a.Remedy})
	}
	parts := []reasonsPart{
		{"Reasons that hold an object", "An object with such a reason stays, although its owners or its deletion mark ask for something else.", nil},
		{"Other reasons", "These reasons go with common decisions and with short waits.", nil},
		{"Doubts", "A doubt says why an owner is unknown. It goes with the reason OwnerUnknown.", out.Doubts},
	}
	for _, x := range out.Reasons {
		part := &parts[1]
		if x.Holds {
			part = &parts[0]
		}
		part.Words = append(part.Words, x)
	}
	return page{name: "reasons", data: reasonsPage{head{"Reasons", "reasons"}, parts}, json: out}, nil
}
