package io.volute.server.iam;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.iam.IamAction.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each action has a row in the reference, with the resource and the action that stand there. */
class IamActionTest {
    private static final Path PAGE = Path.of("../docs/reference/iam.md");

    @ParameterizedTest
    @EnumSource(IamAction.class)
    void theReferenceHasEachAction(IamAction action) throws IOException {
        String row =
                Files.readAllLines(PAGE).stream()
                        .filter(line -> line.startsWith("| `iam:"))
                        .filter(line -> line.contains("`" + action.policyName() + "`"))
                        .reduce((one, other) -> one + other)
                        .orElse("");
        String kind = action.kind().map(each -> each.word()).orElse("policy");
        String resource =
                action.scope() == Scope.ACCOUNT
                        ? "*"
                        : kind + (action.scope() == Scope.ALL ? "/PREFIX" : "/PATH/NAME");
        assertThat(row).contains("| `" + resource + "` | `" + action.adminPolicyName() + "` |");
    }
}
