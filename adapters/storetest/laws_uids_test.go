package storetest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// randomHex returns random digits.
func randomHex(digits int) string {
	b := make([]byte, (digits+1)/2)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)[:digits]
}

// TestForeseeable checks that UIDs that count in some way are found. The usual
// random UIDs are never found, in 200 runs of each.
func TestForeseeable(t *testing.T) {
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	uuid7 := func(at int) string { // as servers make them: 48 bits of milliseconds, 12 of microseconds, 62 random bits
		h := fmt.Sprintf("%012x", 1795000000000+at/4)
		return fmt.Sprintf("%s-%s-7%03x-%c%s-%s", h[:8], h[8:], at*40%4096, "89ab"[randomByte()%4], randomHex(3), randomHex(12))
	}
	ulid := func(at int) string {
		b := &strings.Builder{}
		fmt.Fprintf(b, "01JD%s", strings.ToUpper(fmt.Sprintf("%06x", 1000+at/4)))
		for range 16 {
			b.WriteByte(crockford[randomByte()%32])
		}
		return b.String()
	}
	for _, c := range []struct {
		name   string
		uid    func(i int) string
		found  bool
		reason string
	}{
		{"counter", func(i int) string { return fmt.Sprintf("uid-%d", i+1) }, true, "the next number"},
		{"counter in a UUID", func(i int) string { return fmt.Sprintf("6f1c2f0e-93ab-4c55-8a10-%012x", 4711+i) }, true, "a prefix that looks random"},
		{"counter by sevens", func(i int) string { return strconv.Itoa(1000 + 7*i) }, true, "small steps"},
		{"large steps", func(i int) string { return fmt.Sprintf("%016x", i*0x123456789abcd) }, true, "a step that changes every digit is a step"},
		{"nanoseconds", func(i int) string { return strconv.Itoa(1795000000000000000 + i*183217 + int(randomByte())) }, true, "the time, within a millisecond"},
		{"UUID version 1", func(i int) string { return fmt.Sprintf("%08x-9b1d-11ef-8a10-0242ac120002", 0x5c3a0000+i*2113) }, true, "the time and the machine"},
		{"ObjectID", func(i int) string { return fmt.Sprintf("674085a1c0ffee5bad%06x", 0x1a2b3c+i) }, true, "a counter behind a fixed random part"},
		{"Snowflake", func(i int) string { return strconv.Itoa((1795000000000+i/3)<<22 | 5<<12 | i%3) }, true, "the time and a counter"},
		{"UUID version 4", func(int) string {
			return fmt.Sprintf("%s-%s-4%s-%c%s-%s", randomHex(8), randomHex(4), randomHex(3), "89ab"[randomByte()%4], randomHex(3), randomHex(12))
		}, false, "122 random bits"},
		{"UUID version 7", uuid7, false, "62 random bits behind the time"},
		{"ULID", ulid, false, "80 random bits behind the time"},
		{"random text", func(int) string { return rand.Text() }, false, "128 random bits"},
		{"random hex", func(int) string { return randomHex(16) }, false, "64 random bits"},
		{"random number", func(int) string { n, _ := strconv.ParseUint(randomHex(16), 16, 64); return strconv.FormatUint(n, 10) }, false, "64 random bits, of several lengths"},
		{"base64", func(int) string {
			b := make([]byte, 12)
			_, _ = rand.Read(b)
			return base64.RawURLEncoding.EncodeToString(b)
		}, false, "96 random bits"},
		{"hash of a secret and a counter", func(i int) string {
			h := sha256.Sum256(fmt.Appendf(nil, "secret %d", i))
			return hex.EncodeToString(h[:16])
		}, false, "random without the secret"},
	} {
		for range 200 {
			var uids []graph.UID
			for i := range manyUIDs {
				uids = append(uids, graph.UID(c.uid(i)))
			}
			if why := foreseeable(uids); (why != "") != c.found {
				t.Errorf("%s, such as %s: %q, want it found: %t: %s", c.name, uids[0], why, c.found, c.reason)
				break
			}
		}
	}
}

func randomByte() byte {
	b := make([]byte, 1)
	_, _ = rand.Read(b)
	return b[0]
}
