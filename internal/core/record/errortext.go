package record

import "strings"

// maxErrorText bounds the kept text of an error, in bytes.
const maxErrorText = 512

// ErrorText returns a bounded copy of the text of an error, for reports. It ends at a
// whole rune.
func ErrorText(err error) string {
	text := err.Error()
	if len(text) <= maxErrorText {
		return strings.Clone(text)
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + "..."
}
