package run

import "testing"

// TestDocument: a document keeps unknown fields, counts its writes, and refuses what it
// cannot read.
func TestDocument(t *testing.T) {
	d, err := ReadDocument([]byte(` {"version":1,"writes":4,"cascades":[{"of":"a"}],"pauses":[1]} `))
	if err != nil || string(d.Field("pauses")) != "[1]" || d.Field("other") != nil {
		t.Fatalf("field %s, err %v", d.Field("pauses"), err)
	}
	if got, want := string(d.Text("pauses", []byte("[]"))), `{"cascades":[{"of":"a"}],"pauses":[],"version":1,"writes":5}`; got != want {
		t.Errorf("the text is %s, want %s", got, want)
	}
	if got, want := string(d.With("cascades", []byte("[]")).Text("pauses", []byte("[]"))), `{"cascades":[],"pauses":[],"version":1,"writes":5}`; got != want {
		t.Errorf("the text is %s, want %s", got, want)
	}
	if string(d.Field("pauses")) != "[1]" || string(d.Field("cascades")) == "[]" {
		t.Error("the text has changed the document")
	}
	if got, want := string((Document{}).Text("pauses", []byte("[]"))), `{"pauses":[],"version":1,"writes":1}`; got != want {
		t.Errorf("the first text is %s, want %s", got, want)
	}
	for _, c := range []struct{ reason, text, want string }{
		{"it is empty", ``, "text: unexpected end of JSON input"},
		{"it is no object", `[]`, `found "[]", want an object`},
		{"it is null", `null`, `found "null", want an object`},
		{"it has no version", `{}`, `version: found "", want 1`},
		{"it is of a later version", `{"version":2}`, `version: found "2", want 1`},
		{"the version is no number", `{"version":"1"}`, `version: found "\"1\"", want 1`},
		{"a field is there twice", `{"version":1,"pauses":[],"pauses":[1]}`, `byte 33: field "pauses" is there twice`},
		{"the count is no number", `{"version":1,"writes":"x"}`, `writes: found a string, want a whole number of 64 bits`},
	} {
		if _, err := ReadDocument([]byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%s: err %v, want %s", c.reason, err, c.want)
		}
	}
}
