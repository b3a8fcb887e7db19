package io.volute.admin;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the command may use. Think hard before changing this. */
@AnalyzeClasses(packages = "io.volute", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule goesThroughTheModulesApis =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.volute.admin..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.netty..",
                            "org.rocksdb..",
                            "java.nio.channels..",
                            "io.volute.storage.log..",
                            "io.volute.storage.cube..")
                    .allowEmptyShould(true);
}
