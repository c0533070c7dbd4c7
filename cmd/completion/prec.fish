# Completion of prec for fish: commands and options are asked of prec itself, with what they do.

function __prec_command
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or begin
            echo $word
            return 0
        end
    end
    return 1
end

function __prec_described
    prec $argv 2>/dev/null | string replace -r ':' \t
end

complete -c prec -n 'not __prec_command' -f -a '(__prec_described --list-cmds=described)'
complete -c prec -n '__prec_command; and string match -q -- "-*" (commandline -ct)' -f -a '(__prec_described (__prec_command) --list-opts=described)'
function __prec_events
    prec list --json 2>/dev/null | sed -n 's/.*"EventName": "\(.*\)".*/\1/p'
end

function __prec_keys
    prec $argv '?' 2>&1 | sed -n 's/.*known are:* //p' | tr ', ' '\n\n'
end

complete -c prec -n 'test "$(__prec_command)" = record' -s e -l event -x -a '(__prec_events)'
complete -c prec -n 'test "$(__prec_command)" = report' -s s -l sort -x -a '(__prec_keys report -s)'
complete -c prec -n 'test "$(__prec_command)" = script' -s F -l fields -x -a '(__prec_keys script -F)'
