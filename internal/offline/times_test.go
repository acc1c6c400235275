package offline

import "testing"

// TestExplanationsHaveNoTimes: an object that was held for days is not held since this moment.
func TestExplanationsHaveNoTimes(t *testing.T) {
	c := parse(t, "pod/s/a#1~[example.org/x] -> set/s/b, set/s/c; set/s/b#1")
	list, err := c.Explain(t.Context(), c.Objects[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	x := list[0]
	if len(x.Wait) == 0 || len(x.Owners) == 0 || !x.Look.IsZero() || !x.Changed.IsZero() || !x.Wait[0].Since.IsZero() || !x.Wait[0].Next.IsZero() || !x.Owners[0].At.IsZero() {
		t.Errorf("%+v", x)
	}
}
