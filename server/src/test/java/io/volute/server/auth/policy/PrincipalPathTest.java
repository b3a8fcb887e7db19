package io.volute.server.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Principals of users and roles that have a path. */
class PrincipalPathTest {
    private static final Principal USER = new Principal(Principal.Kind.USER, "bob", "", "/team/");
    private static final Principal ROLE = new Principal(Principal.Kind.ROLE, "bob", "s", "/team/");

    private static boolean applies(String effect, String element, Principal who, String arn) {
        String document =
                "{\"Statement\":{\"Effect\":\""
                        + effect
                        + "\",\""
                        + element
                        + "\":{\"AWS\":\""
                        + arn
                        + "\"},\"Action\":\"s3:GetObject\",\"Resource\":\"arn:aws:s3:::b/*\"}}";
        Policy policy = Policy.ofBucket(document, "b");
        AccessRequest request =
                new AccessRequest(who, "s3:GetObject", "arn:aws:s3:::b/k", key -> List.of());
        return effect.equals("Allow") ? policy.allows(request) : policy.denies(request);
    }

    @ParameterizedTest
    @CsvSource({
        "team/bob,true,true",
        "bob,false,true",
        "other/bob,false,true",
        "team/x/bob,false,true",
        "team/notbob,false,false",
        "team/bob/x,false,false",
        "team/,false,false"
    })
    void nothingIsGrantedByAWrongPathAndNoDenialIsLost(
            String name, boolean isAllowed, boolean isDenied) {
        for (Principal who : List.of(USER, ROLE)) {
            String kind = who.kind() == Principal.Kind.USER ? "user/" : "role/";
            String arn = "arn:aws:iam::000000000000:" + kind + name;
            assertThat(applies("Allow", "Principal", who, arn)).isEqualTo(isAllowed);
            assertThat(applies("Deny", "Principal", who, arn)).isEqualTo(isDenied);
            // All but the named one are denied: a wrong path names nobody.
            assertThat(applies("Deny", "NotPrincipal", who, arn)).isEqualTo(!isAllowed);
        }
    }

    @ParameterizedTest
    @CsvSource({"iam:CreateUser,iam:CreateUser,true", "iam:*,iam:GetUser,true", "s3:*,iam:X,false"})
    void actionsOfIamAreForPoliciesOfCallers(String action, String asked, boolean isAllowed) {
        String document =
                "{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Action\":\""
                        + action
                        + "\",\"Resource\":\"arn:aws:iam:::user/a*\"}}";
        Policy policy = Policy.ofIdentity(document);
        String arn = "arn:aws:iam::000000000000:user/alice";
        assertThat(policy.allows(new AccessRequest(USER, asked, arn, key -> List.of())))
                .isEqualTo(isAllowed);
    }
}
