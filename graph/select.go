package graph

// SelectRequest asks a store for the objects of a kind whose labels match. It is a value.
type SelectRequest struct {
	Kind Kind
	// Selector is in the words of guard.ParseSelector, and not empty.
	Selector string
	// Label is the label whose value the store returns too, "" for none.
	Label string
	// Limit is the wanted number of objects in a page, 0 for the store's own choice. A
	// server without limits may answer with all objects. After is More of the page before,
	// "" for the first page.
	Limit int
	After string
}

// SelectPage is one page of the answer to a SelectRequest. The receiver owns it.
type SelectPage struct {
	Objects []LabelMatch
	// More asks for the next page, "" after the last one.
	More string
}

// LabelMatch is an object whose labels matched, at the version that did. Its Key has the
// UID. Value is the value of the wanted label, "" without one. It is a value.
type LabelMatch struct {
	Key     Key
	Version Version
	Value   string
}
