package io.volute.server.iam;

import static io.volute.server.iam.IamTestBed.allowing;
import static io.volute.server.iam.IamTestBed.statement;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.query.SignedClient.Keys;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IAM and the admin API do the same under two names: who may not use one uses neither. */
class IamEquivalentsTest {
    private static final List<String> IN_ADMIN_API =
            Arrays.stream(IamAction.values())
                    .map(IamAction::adminPolicyName)
                    .distinct()
                    .sorted()
                    .toList();

    private IamTestBed bed;
    private Keys carol;

    @BeforeEach
    void open() throws IOException {
        bed = new IamTestBed();
        carol = bed.user("carol");
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private boolean mayUseIam() {
        return bed.call(carol, "CreateAccessKey", "UserName", "carol").status() == 200;
    }

    private void assertNeither() {
        assertThat(mayUseIam()).isFalse();
        for (String action : IN_ADMIN_API) {
            assertThat(bed.mayCall(carol, action)).as(action).isFalse();
        }
    }

    @Test
    void aUserWithAllRightsUsesBoth() {
        bed.policy("carol", "all", allowing("*", "*"));
        assertThat(mayUseIam()).isTrue();
        for (String action : IN_ADMIN_API) {
            assertThat(bed.mayCall(carol, action)).as(action).isTrue();
        }
        assertThat(bed.mayCall(carol, "volute:Space")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"iam:*", "volute:*", "*"})
    void aDenialHoldsForBoth(String denied) {
        bed.policy("carol", "all", allowing("*", "*"));
        bed.policy("carol", "not", statement("Deny", denied, "*"));
        assertNeither();
    }

    /** The admin API does not know ARNs, so it must take a denial for some users as its own. */
    @Test
    void aDenialForSomeUsersHoldsForTheAdminApi() {
        bed.policy("carol", "all", allowing("*", "*"));
        String some = "arn:aws:iam:::user/x*";
        bed.policy("carol", "not", statement("Deny", "iam:CreateAccessKey", some));
        assertThat(bed.mayCall(carol, "volute:CreateKey")).isFalse();
        assertThat(bed.mayCall(carol, "volute:CreateUser")).isTrue();
        assertThat(mayUseIam()).isTrue();
    }

    /** PowerUserAccess of AWS and policies that are older than IAM here are written like this. */
    @ParameterizedTest
    @ValueSource(strings = {"iam:*", "volute:*"})
    void anAllowanceThatLeavesOutOneLeavesOutBoth(String leftOut) {
        String document = allowing(leftOut, "*").replace("\"Action\"", "\"NotAction\"");
        bed.policy("carol", "power", document);
        assertNeither();
        assertThat(bed.s3(carol, "GET", "/").status()).isEqualTo(200);
        assertThat(bed.mayCall(carol, "volute:Space")).isEqualTo(leftOut.equals("iam:*"));
    }

    /** A denial of all but IAM denies the admin API, as it does everything else. */
    @Test
    void aDenialThatLeavesOutIamAllowsNothing() {
        bed.policy("carol", "all", allowing("*", "*"));
        String document = statement("Deny", "iam:*", "*").replace("\"Action\"", "\"NotAction\"");
        bed.policy("carol", "not", document);
        assertThat(bed.mayCall(carol, "volute:CreateKey")).isFalse();
        assertThat(bed.s3(carol, "GET", "/").code()).isEqualTo("AccessDenied");
    }
}
