package cli

import (
	"strconv"
	"strings"
)

// An error of the server has the names of a webhook or of a policy in its text alone. Names of objects,
// and other texts of users, may repeat such words. So they count at the beginning of the text alone.

// maxName bounds the name of a webhook, of a policy or of a binding.
const maxName = 253

// cause returns the text of an error without the words that the server puts before a refusal:
// `RESOURCE "NAME" is forbidden: `, and those of an internal error.
func cause(text string) string {
	if _, rest, is := strings.Cut(text, " "); is {
		if name, err := strconv.QuotedPrefix(rest); err == nil {
			rest = strings.TrimPrefix(rest[len(name):], " ")
		}
		if of, is := strings.CutPrefix(rest, "is forbidden: "); is {
			text = of
		}
	}
	return strings.TrimPrefix(text, "Internal error occurred: ")
}

// named returns the name between quotes of one sort at the beginning of a text behind some words, with
// the rest of the text.
func named(text, before string) (name, rest string, is bool) {
	text, is = strings.CutPrefix(text, before)
	if !is || text == "" || text[0] != '"' && text[0] != '\'' {
		return "", "", false
	}
	name, rest, is = strings.Cut(text[1:], text[:1])
	return name, rest, is && name != "" && len(name) <= maxName
}

// webhookOf returns the name of the webhook that an error is about.
func webhookOf(text string) (name string, is bool) {
	for _, before := range [...]string{"failed calling webhook ", "failed calling admission webhook ", "admission webhook "} {
		if name, _, is = named(cause(text), before); is {
			return name, true
		}
	}
	return "", false
}

// lacksDryRun reports whether an error says that a webhook has side effects.
func lacksDryRun(text string) bool {
	_, rest, is := named(cause(text), "admission webhook ")
	return is && rest == " does not support dry run"
}

// policyOf returns the sort and the name of the policy that an error is about, and its binding. A mutating
// policy has no sort in the text. A fault of the policy itself has no binding.
func policyOf(text string) (sort, name, binding string, is bool) {
	for _, p := range [...]struct{ sort, before string }{{"validating", "ValidatingAdmissionPolicy "}, {"mutating", "policy "}} {
		name, rest, is := named(cause(text), p.before)
		if !is {
			continue
		}
		if of, more, has := named(rest, " with binding "); has {
			binding, rest = of, more
		}
		return p.sort, name, binding, strings.HasPrefix(rest, " denied request")
	}
	return "", "", "", false
}

// refusedBy reports whether the text of an error names a webhook or an admission policy.
func refusedBy(text string) bool {
	_, webhook := webhookOf(text)
	_, _, _, policy := policyOf(text)
	return webhook || policy
}

// saysNoRight reports whether the text of an error says that its user has no right to the request.
func saysNoRight(text string) bool {
	rest, is := strings.CutPrefix(cause(text), "User ")
	user, err := strconv.QuotedPrefix(rest)
	return is && err == nil && strings.HasPrefix(rest[len(user):], " cannot ")
}
