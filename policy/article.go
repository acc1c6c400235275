package policy

import "github.com/ownergraph/ownergraph/graph"

// Article explains one word of the vocabulary to a user. It is a value. Each field has one
// or more whole sentences.
type Article struct {
	// Meaning gives the knowledge of the engine, and its next act.
	Meaning string
	// Cause names the events that lead to this state.
	Cause string
	// Remedy names the possible acts of the user. It begins with "None" where nothing is needed.
	Remedy string
}

// About returns the article of a reason, the zero Article for ReasonUnset and for an
// unknown reason.
//
//test:by TestArticles
func About(r Reason) Article {
	if int(r) < len(articles) {
		return articles[r]
	}
	return Article{}
}

// AboutDoubt returns the article of a doubt, the zero Article for graph.DoubtUnset and for
// an unknown doubt. A doubt says more about the reason OwnerUnknown.
//
//test:by TestArticles
func AboutDoubt(d graph.Doubt) Article {
	if int(d) < len(doubtArticles) {
		return doubtArticles[d]
	}
	return Article{}
}
