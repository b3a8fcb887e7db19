package io.volute.server.iam;

import io.volute.server.auth.policy.ConditionKeys;
import java.util.List;

/** The condition keys of a call of IAM: those of its request, and {@code iam:PolicyARN}. */
record IamKeys(IamRequest request) implements ConditionKeys {
    @Override
    public List<String> values(String key) {
        return key.equals("iam:policyarn")
                ? request.get("PolicyArn").map(IamRequest::withAccount).stream().toList()
                : request.call().keys().values(key);
    }
}
