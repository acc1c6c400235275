package main

import "strings"

// An error of the server has the names of a webhook or of a policy in its text alone.

// maxName bounds the name of a webhook, of a policy or of a binding.
const maxName = 253

// quoted returns the name between two quotes behind a text, with the rest of the text.
func quoted(text, before, quote string) (name, rest string, is bool) {
	_, rest, is = strings.Cut(text, before+quote)
	if !is {
		return "", "", false
	}
	name, rest, is = strings.Cut(rest, quote)
	return name, rest, is && name != "" && len(name) <= maxName
}

// namesWebhook reports whether the text of an error is about a webhook, and not about a policy. Each may
// repeat words of the other behind its own name.
func namesWebhook(text string) bool {
	webhook, policy := strings.Index(text, ` webhook "`), strings.Index(text, " with binding '")
	return webhook >= 0 && (policy < 0 || webhook < policy)
}

// webhookOf returns the name of the webhook in the text of an error.
func webhookOf(text string) (name string, is bool) {
	if !namesWebhook(text) {
		return "", false
	}
	for _, before := range [...]string{"calling webhook ", "admission webhook "} {
		if name, _, is = quoted(text, before, `"`); is {
			return name, true
		}
	}
	return "", false
}

// policyOf returns the sort and the name of the policy in the text of an error, and its binding. A
// mutating policy has no sort in the text.
func policyOf(text string) (sort, name, binding string, is bool) {
	if namesWebhook(text) {
		return "", "", "", false
	}
	sort, before := "validating", "ValidatingAdmissionPolicy "
	if !strings.Contains(text, before) {
		sort, before = "mutating", "policy "
	}
	name, rest, is := quoted(text, before, "'")
	if !is {
		return "", "", "", false
	}
	binding, _, is = quoted(rest, " with binding ", "'")
	return sort, name, binding, is
}

// refusedBy reports whether the text of an error names a webhook or an admission policy.
func refusedBy(text string) bool {
	_, webhook := webhookOf(text)
	_, _, _, policy := policyOf(text)
	return webhook || policy
}
