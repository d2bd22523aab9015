<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr_FR">
<context>
    <name>Actions</name>
    <message>
        <source>This failed unexpectedly ({reason}); the log says more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentRow</name>
    <message>
        <source>restart to apply changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logs…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentState</name>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>busy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentsPanel</name>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChannelDialog</name>
    <message>
        <source>Edit channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for example parser-repair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Description (optional)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>your home folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working folder of the agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Members</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Delete {name}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its messages are deleted for good, and an answer that is running is stopped. Files stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No program for this file was found; edit {path} with any editor.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This link is not opened: it leads neither to the web nor to a mail address ({url}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open this link?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It leads to:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message {name}   (/ command)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message {name}   (@ mention · / command)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the answer and drop what waits (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) queued</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConfirmDialog</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConversationsModel</name>
    <message>
        <source>Direct</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n permission(s) to answer</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n unread message(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EmptyTexts</name>
    <message>
        <source>No agent is configured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents stand in one file: a name and the command that starts it are enough.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs on this machine: on the model server it finds, otherwise on SmolLM2 135M, embedded: small, for trying things out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect a bigger model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a message: the agent is started by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a message. Mention an agent with @ to say who should answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody is in this channel yet. Mention an agent with @ and it joins.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sidekicks could not start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} does not run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show logs</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Guide</name>
    <message>
        <source>Connect a bigger model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>**Mini Me finds a model server by itself** when one runs on this machine: llama.cpp, Ollama, LM Studio or Docker Model Runner. Start one, restart Mini Me in the list of agents, and it answers from there.

**To name a server**, write its address into the settings file of `mm` (`mm --help` says where it is):

```
provider: openai
baseURL: http://127.0.0.1:8080/v1
model: qwen3-8b
```

A key is read from `MM_API_KEY` or `OPENAI_API_KEY`, never from the file.

**Without a server**, any `.gguf` file runs: `mm model add FILE`, then `mm model use NAME`.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Add an agent to the channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All agents are members</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Configure agents…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove from the channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit channel…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete conversation…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LogsDialog</name>
    <message>
        <source>Logs of {agent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This agent has written nothing yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemberChip</name>
    <message>
        <source>context {percent} % full ({used} of {size} tokens)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Search conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search conversations (Ctrl+K)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New channel (Ctrl+N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit channel…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete conversation…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Workspace</name>
    <message>
        <source>The configuration has problems (line {line}: {problem}). The last valid one stays in force.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for {agent}, who answers in {channel}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} asks for permission in {channel}: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>(and %n more)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
